type Bounds<Item> = Readonly<{
  most: number;
  mostOfOne: number;
  whose(item: Item): string;
  putOut(item: Item): void;
}>;

/** The things that clients have yet to send. */
export type Waiting<Item> = Readonly<{ add(item: Item): void; remove(item: Item): void }>;

/**
 * Bounds what waits for slow clients. When one of them, or all together, have too many, the longest waiting is put out:
 * honest requests arrive at once, so they always find room.
 */
export function createWaiting<Item>({ most, mostOfOne, whose, putOut }: Bounds<Item>): Waiting<Item> {
  const items = new Set<Item>();

  function tooMany(item: Item): Item | undefined {
    if (items.size <= mostOfOne) return undefined;
    const own = [...items].filter((other) => whose(other) === whose(item));
    const [longest] = own.length > mostOfOne ? own : items.size > most ? items : [];
    return longest;
  }

  return {
    add(item) {
      items.delete(item);
      items.add(item);
      const longest = tooMany(item);
      if (longest === undefined) return;
      items.delete(longest);
      putOut(longest);
    },
    remove: (item) => void items.delete(item),
  };
}
