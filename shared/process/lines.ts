/** The items of one key in their order, and those that were taken and have not ended. */
type Line<Item> = Readonly<{ key: string; waiting: Item[]; out: Set<Item> }>;

/** Items that wait in a line for each key. A line is ready while it has items and few enough of them are out. */
type Lines<Item> = Readonly<{
  /** How many items wait in all, and under one key. */
  size(): number;
  sizeOf(key: string): number;
  keys(): number;
  /** Lines take turns: the one that was served longest ago comes first. */
  ready: ReadonlySet<Line<Item>>;
  put(key: string, item: Item): void;
  /** Takes the first item of a line. */
  take(line: Line<Item>): Item | undefined;
  /** Notes that an item which was taken is done. @returns whether its line is ready by that */
  end(key: string, item: Item): boolean;
  /** @returns false when the item has been taken */
  withdraw(key: string, item: Item): boolean;
  withdrawAll(): Item[];
}>;

/** @param mostOut how many items of a line may be out before it stands still */
export function createLines<Item>(mostOut: number): Lines<Item> {
  const lines = new Map<string, Line<Item>>();
  const ready = new Set<Line<Item>>();
  let size = 0;

  /** A line that is ready already keeps its place. */
  function update(line: Line<Item>): void {
    if (line.waiting.length > 0 && line.out.size < mostOut) ready.add(line);
    else ready.delete(line);
    if (line.waiting.length === 0 && line.out.size === 0) lines.delete(line.key);
  }

  return {
    size: () => size,
    sizeOf: (key) => lines.get(key)?.waiting.length ?? 0,
    keys: () => lines.size,
    ready,
    put(key, item) {
      const line = lines.get(key) ?? { key, waiting: [], out: new Set() };
      lines.set(key, line);
      line.waiting.push(item);
      size += 1;
      update(line);
    },
    take(line) {
      const item = line.waiting.shift();
      if (item === undefined) return undefined;
      line.out.add(item);
      size -= 1;
      ready.delete(line);
      update(line);
      return item;
    },
    end(key, item) {
      const line = lines.get(key);
      if (!line?.out.delete(item)) return false;
      update(line);
      return ready.has(line);
    },
    withdraw(key, item) {
      const line = lines.get(key);
      const place = line?.waiting.indexOf(item) ?? -1;
      if (!line || place === -1) return false;
      line.waiting.splice(place, 1);
      size -= 1;
      update(line);
      return true;
    },
    withdrawAll() {
      const all = [...lines.values()].flatMap(({ waiting }) => waiting.splice(0));
      size = 0;
      for (const line of lines.values()) update(line);
      return all;
    },
  };
}
