import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** Long work that a command began and workers carry out in steps; each step is one transaction with its progress. */
export const WorkEntity = defineEntity({
  name: "Work",
  tableName: "works",
  properties: {
    user_id: owner(),
    id: p.string().columnType("uuid").primary(),
    /** The command whose handler has the steps. */
    name: p.text(),
    /** JSON text. */
    input: p.text(),
    /** The place at which the next step begins; the work chooses its form. */
    cursor: p.text().nullable(),
    done: p.integer(),
    total: p.integer(),
    /** The failed attempts at the next step. */
    tries: p.integer().default(0),
    /** JSON text: an answer or a refusal, once the work has ended. */
    outcome: p.text().nullable(),
    created_at: timestamptz(),
    ended_at: timestamptz().nullable(),
  },
});

export type WorkRow = InferEntity<typeof WorkEntity>;
