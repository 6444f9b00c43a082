import type { Handler } from "../handler.ts";

const kinds = ["categories", "habits", "histories", "todos"] as const;

/** A new file replaces the parts of an earlier one, so that unconfirmed files do not pile up. */
export const importStage: Handler<"import.stage"> = {
  stores: "more",
  idempotent: true,
  run({ importParts, now }, { import_id, part, ...things }) {
    const kind = kinds.find((one) => things[one] !== undefined) ?? "todos";
    const list = things[kind] ?? [];
    const keys = list.flatMap((one) => ("key" in one ? one.key : []));
    importParts.upsert({ part, import_id, kind, keys, content: JSON.stringify(list), created_at: now });
    return null;
  },
};
