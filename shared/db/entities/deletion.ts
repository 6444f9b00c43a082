import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { id, owner, timestamptz } from "./columns.ts";

/** Tables whose deletions leave a tombstone, by their numbers. */
export const deletionKinds = { categories: 1, habits: 2, todos: 3 } as const;

/** Tombstones of the last 30 days. The statement that deletes a row writes its tombstone. */
export const DeletionEntity = defineEntity({
  name: "Deletion",
  tableName: "deletions",
  properties: {
    user_id: owner(),
    /** The number of the transaction that deleted it. */
    changed_xid: p.string().columnType("xid8").primary(),
    /** One of `deletionKinds`. */
    kind: p.smallint().primary(),
    id: id(),
    deleted_at: timestamptz(),
  },
});

export type DeletionRow = InferEntity<typeof DeletionEntity>;
