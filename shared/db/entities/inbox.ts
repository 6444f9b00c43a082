import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** Partitioned by `created_at`, so the key is unique within a partition only; a repeat lands in the same one. */
export const InboxEntity = defineEntity({
  name: "InboxEntry",
  tableName: "inbox",
  properties: {
    user_id: owner(),
    command_id: p.string().columnType("uuid").primary(),
    /** sha256 of the command's name and validated input, so that one key cannot be used for two requests. */
    fingerprint: p.text(),
    /** Stored as text, so that a replay is the same answer to the byte. */
    reply: p.text(),
    /** Replies to commands with an idempotency key are stored for a day, others for minutes. */
    keyed: p.boolean(),
    /** Without an idempotency key: the time in the command id, so that a repeat lands in the same partition. */
    created_at: timestamptz(),
  },
});

export type InboxRow = InferEntity<typeof InboxEntity>;
