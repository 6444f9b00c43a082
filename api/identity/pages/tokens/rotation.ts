/** Seconds that the previous secret keeps working, with labels. */
export const graceChoices = new Map([
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
]);
