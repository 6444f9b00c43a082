// Fills in the browser's time zone wherever nobody has chosen one.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
for (const field of document.querySelectorAll("[data-zone]")) {
  const isListed = [...(field.options ?? [])].some(({ value }) => value === timeZone);
  if (timeZone && field.options && !isListed) field.add(new Option(timeZone));
  if (timeZone) field.value = timeZone;
}
