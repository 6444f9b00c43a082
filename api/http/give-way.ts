/** How long a request may keep the others waiting at a time. */
const heldMs = 4;

/**
 * For work that consists of many parts, each of which may take milliseconds, such as the check of a recurrence.
 * @returns a function to call between the parts, which lets other requests go on when it is their turn
 */
export function createGiveWay(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < heldMs) return;
    await Bun.sleep(0);
    began = performance.now();
  };
}

/** Makes something of each item in order, and lets other requests go on in between when it is their turn. */
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
