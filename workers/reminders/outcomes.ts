/**
 * Gathers results while earlier ones are being written, so that many share one statement. A write that
 * fails is repeated until it succeeds: what was sent must be marked, also when Postgres restarts.
 */
export function createWriter<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let gathered: Item[] = [];
  let writing = false;
  let stopped = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (gathered.length > 0 && !stopped) {
      const items = gathered.slice(0, maxTogether);
      try {
        await write(items);
        gathered = gathered.slice(items.length);
      } catch (error) {
        onFailure(error);
        await Bun.sleep(retryEveryMs);
      }
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

const maxTogether = 1_000;
const retryEveryMs = 250;
