/** Runs `run` on all items, a few at a time. @returns the results in the order of the items */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  async function work() {
    for (const [index, item] of left) results[index] = await run(item);
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
