import type { Handler } from "../handler.ts";

/** A group is taken apart before any handler is asked, so this one is met only by a mistake in our code. */
export const batchRun: Handler<"batch.run"> = {
  run() {
    throw new Error("A group has no handler of its own.");
  },
};
