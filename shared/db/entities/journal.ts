import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { Details } from "../../domain/journal/event.ts";
import { owner, timestamptz } from "./columns.ts";

/** One event of an account. Rows are written by `journal_append` alone, and no process may change them. */
export const JournalEntity = defineEntity({
  name: "Journal",
  tableName: "journal",
  properties: {
    user_id: owner(),
    number: p.bigint("number").primary(),
    at: timestamptz(),
    kind: p.text(),
    details: p.json().$type<Details>(),
  },
});

export type JournalRow = InferEntity<typeof JournalEntity>;
