/** How long the secret before a new one goes on working, in seconds. */
export const graceChoices = new Map([
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
]);
