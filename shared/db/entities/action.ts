import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { Door, ResourceKind } from "../../domain/vocabulary.ts";
import { owner, timestamptz } from "./columns.ts";

/** One row for each tool call and each change, keyed by its request id: a redelivered batch cannot log one twice. */
export const ActionEntity = defineEntity({
  name: "Action",
  tableName: "action_log",
  properties: {
    user_id: owner(),
    called_at: timestamptz().primary(),
    request_id: p.string().columnType("uuid").primary(),
    door: p.text().$type<Door>(),
    /** Empty for a person on the account pages. */
    token_id: p.text(),
    client_name: p.text().nullable(),
    /** The tool, or the command's name over REST and from pages. */
    tool: p.text(),
    /** JSON text as the caller sent it, or shortened (shared/domain/action/cut-arguments.ts). */
    arguments: p.text(),
    /** `ok`, or the code of the refusal, whose sentence is the message. */
    outcome: p.text(),
    message: p.text().nullable(),
    /** The thing of the action, if there is exactly one, with its name at that time. */
    resource_kind: p.text().$type<ResourceKind>().nullable(),
    resource_id: p.bigint("number").nullable(),
    resource_name: p.text().nullable(),
    /** The other things that it changed, such as `todo/5`. */
    others: p.array().columnType("text[]").nullable(),
    /** JSON text of `Images` (shared/domain/action/images.ts), or a cut of it. */
    before: p.text().nullable(),
    after: p.text().nullable(),
    /** The request id of the action that undid this one. */
    undone_by: p.string().columnType("uuid").nullable(),
    replayed: p.boolean(),
    /** Greater than one only for calls over the rate limit, which share a row per token and minute. */
    calls: p.integer(),
    duration_ms: p.double(),
  },
});

export type ActionRow = InferEntity<typeof ActionEntity>;

/** Whole images that are too long for the action's own row. */
export const ActionImagesEntity = defineEntity({
  name: "ActionImages",
  tableName: "action_images",
  properties: {
    user_id: owner(),
    called_at: timestamptz().primary(),
    request_id: p.string().columnType("uuid").primary(),
    before: p.text(),
    after: p.text(),
  },
});

export type ActionImagesRow = InferEntity<typeof ActionImagesEntity>;
