import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { ApprovalState } from "../../domain/vocabulary.ts";
import { date, owner, timestamps, timestamptz } from "./columns.ts";

/** The rules of a token that its person set, and the changes that it made on its last day. */
export const TokenRuleEntity = defineEntity({
  name: "TokenRule",
  tableName: "token_rules",
  properties: {
    user_id: owner(),
    token_id: p.text().primary(),
    asks_deletions: p.boolean(),
    /** A request that changes more things than this waits for approval; 0 for every change. */
    ask_above: p.integer().nullable(),
    changes_per_day: p.integer().nullable(),
    deletions_per_day: p.integer().nullable(),
    /** The only category whose things it may change. */
    category_id: p.bigint("number").nullable(),
    /** The user's day to which both counts belong. */
    used_on: date().nullable(),
    changes_used: p.integer(),
    deletions_used: p.integer(),
    ...timestamps,
  },
});

export type TokenRuleRow = InferEntity<typeof TokenRuleEntity>;

/** A request of a token that waits, or waited, for its person. */
export const ApprovalEntity = defineEntity({
  name: "Approval",
  tableName: "approvals",
  properties: {
    user_id: owner(),
    /** The id of the command, or of the first operation of a group. */
    id: p.string().columnType("uuid").primary(),
    token_id: p.text(),
    client_name: p.text().nullable(),
    /** `waiting` also after it expired. */
    state: p.text().$type<ApprovalState>(),
    /** JSON text of the request (workers/handlers/approval.ts); empty once it has ended. */
    request: p.text(),
    /** JSON text of `Images`: what it would change, as it was when it was asked for. */
    before: p.text(),
    after: p.text(),
    /** A hash of the rows that it would change, as they were. */
    rests_on: p.text(),
    /** JSON text of the answer, once it is carried out. */
    outcome: p.text().nullable(),
    expires_at: timestamptz(),
    decided_at: timestamptz().nullable(),
    created_at: timestamptz(),
  },
});

export type ApprovalRow = InferEntity<typeof ApprovalEntity>;
