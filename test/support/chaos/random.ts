/** Choices that are the same for the same seed. */
export type Random = ReturnType<typeof createRandom>;

/** Each purpose has a stream of its own, so that the choices of one do not change those of another. */
export function createRandom(seed: number, purpose: string) {
  const next = mulberry32(Bun.hash.xxHash32(purpose, seed));
  /** A whole number from `low` to `high`, both included. */
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <Item>(items: readonly Item[]): Item => items[between(0, items.length - 1)] as Item;
  return {
    between,
    pick,
    chance: (share: number): boolean => next() < share,
    shuffled<Item>(items: readonly Item[]): Item[] {
      const left = [...items];
      return items.map(() => left.splice(between(0, left.length - 1), 1)[0] as Item);
    },
  };
}

/** Tommy Ettinger's generator, in the public domain: numbers from 0 up to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
