import { defineEntity, p } from "@mikro-orm/core";
import { id, owner, timestamptz } from "./columns.ts";

/** What was deleted within the last 30 days. Triggers write it, so no command loads or changes its rows. */
export const DeletionEntity = defineEntity({
  name: "Deletion",
  tableName: "deletions",
  properties: {
    user_id: owner(),
    /** The number of the transaction that deleted it. */
    changed_xid: p.string().columnType("xid8").primary(),
    /** 1 for a category, 2 for a habit, 3 for a todo. */
    kind: p.smallint().primary(),
    id: id(),
    deleted_at: timestamptz(),
  },
});
