const maxTogether = 1_000;
const againAfterMs = 250;

/**
 * Gathers results while earlier ones are being written, so that many share one statement. What is not
 * written is repeated until it is: what was sent must be marked, also when Postgres restarts.
 * @param write resolves with those that have to wait
 */
export function createWriter<Item>(
  write: (items: readonly Item[]) => Promise<Item[]>,
  onFailure: (error: unknown) => void,
) {
  let gathered: Item[] = [];
  let writing = false;
  let stopped = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (gathered.length > 0 && !stopped) {
      const items = gathered.slice(0, maxTogether);
      const left = await write(items).catch((error) => {
        onFailure(error);
        return items;
      });
      gathered = [...gathered.slice(items.length), ...left];
      if (left.length > 0) await Bun.sleep(againAfterMs);
    }
    writing = false;
  }

  return {
    add(item: Item): void {
      gathered.push(item);
      if (!writing) void writeAll();
    },
    /** Gives up on what is not written by now. */
    stop(): void {
      stopped = true;
    },
  };
}
