/** Changes that are shown already and not answered yet. */
export const waiting = new Set();

// Closing the page would lose them.
addEventListener("beforeunload", (event) => {
  if ([...waiting].some(({ isLate }) => isLate)) event.preventDefault();
});
