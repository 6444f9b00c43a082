import type { Handler } from "../handler.ts";

/** A new file replaces the parts of an earlier one, so that unconfirmed files do not pile up. */
export const importStage: Handler<"import.stage"> = {
  stores: "more",
  idempotent: true,
  run({ importParts, now }, part) {
    importParts.upsert({ ...part, created_at: now });
    return null;
  },
};
