import type { Handler } from "../handler.ts";

/** Workers split a group before any handler runs, so only a fault in Kept's code leads here. */
export const groupRun: Handler<"batch.run"> = {
  run() {
    throw new Error("A group has no handler of its own.");
  },
};
