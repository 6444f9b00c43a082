/** The time since `start` (of performance.now()) for people: "1.24 s". */
export const elapsed = (start: number): string => `${((performance.now() - start) / 1000).toFixed(2)} s`;
