/** Changes that are shown already and not answered yet. */
export const waiting = new Set();
