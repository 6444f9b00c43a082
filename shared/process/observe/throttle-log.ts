/** Passes on at most one call in `everyMs`, so that a line for each request cannot fill a log. */
export function throttled<Args extends unknown[]>(
  act: (...args: Args) => void,
  everyMs = 60_000,
): (...args: Args) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    act(...args);
  };
}
