// Fills in the browser's time zone wherever nobody has chosen one, and offers it where the account has another.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
for (const field of document.querySelectorAll("[data-zone]")) {
  const isListed = [...(field.options ?? [])].some(({ value }) => value === timeZone);
  if (timeZone && field.options && !isListed) field.add(new Option(timeZone));
  if (timeZone) field.value = timeZone;
}

const travel = document.querySelector("[data-travel]");
const now = new Date();
const clockIn = (zone) => now.toLocaleString("sv", { timeZone: zone });
const journey = `${travel?.dataset.travel} ${timeZone}`;
if (travel && timeZone && clockIn(timeZone) === clockIn(travel.dataset.travel)) delete localStorage.journey;
else if (travel && timeZone && localStorage.journey !== journey) {
  travel.querySelector("strong").textContent = timeZone;
  travel.hidden = false;
}
travel?.querySelector("[type=button]").addEventListener("click", () => {
  localStorage.journey = journey;
  travel.hidden = true;
});
