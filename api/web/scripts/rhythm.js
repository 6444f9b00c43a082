// A chosen weekday selects its kind of rhythm, and another kind clears the weekdays.
document.querySelector(".rhythm")?.addEventListener("change", ({ currentTarget: group, target }) => {
  const days = [...group.querySelectorAll("[name=weekdays]")];
  const ofDays = group.querySelector("[name=rhythm][value=weekdays]");
  if (days.includes(target) && target.checked) ofDays.checked = true;
  if (target.name === "rhythm" && target !== ofDays) for (const day of days) day.checked = false;
});
