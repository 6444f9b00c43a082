import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { id, owner, timestamptz } from "./columns.ts";

/** The tables whose deletions are noted, by the number that stands for each. */
export const deletionKinds = { categories: 1, habits: 2, todos: 3 } as const;

/** What was deleted within the last 30 days. The statement that deletes a row notes it. */
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
    /** What hung on it and is gone with it: a habit's completions, and which habits and todos had a category. */
    completed_dates: p.array().columnType("date[]").nullable(),
    completed_times: p.array().columnType("timestamptz[]").nullable(),
    habit_ids: p.array(Number).columnType("bigint[]").nullable(),
    todo_ids: p.array(Number).columnType("bigint[]").nullable(),
  },
});

export type DeletionRow = InferEntity<typeof DeletionEntity>;
