/** Passes calls on at most once in `everyMs`, so that a line that each request would write does not fill a log. */
export function seldom<Args extends unknown[]>(
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
