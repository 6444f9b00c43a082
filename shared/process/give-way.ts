/** Milliseconds for which a request or a group may block the others at a time. */
const heldMs = 4;

/**
 * For work in many parts that may take milliseconds each, such as checks of recurrences.
 * @returns a function to call between the parts, which lets other requests run
 */
export function createGiveWay(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < heldMs) return;
    await Bun.sleep(0);
    began = performance.now();
  };
}

/** Maps items in order, and lets other requests run in between. */
export async function mapGivingWay<Item, Result>(
  items: readonly Item[],
  make: (item: Item) => Result,
): Promise<Result[]> {
  const made: Result[] = [];
  const giveWay = createGiveWay();
  for (const item of items) {
    made.push(make(item));
    await giveWay();
  }
  return made;
}
