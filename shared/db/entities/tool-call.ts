import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** One row per MCP tool call, keyed by its request id: a redelivered batch cannot log a call twice. */
export const ToolCallEntity = defineEntity({
  name: "ToolCall",
  tableName: "action_log",
  properties: {
    user_id: owner(),
    request_id: p.string().columnType("uuid").primary(),
    token_id: p.text(),
    client_name: p.text().nullable(),
    tool: p.text(),
    /** JSON text, as the caller sent it or shortened (shared/domain/cut-arguments.ts). */
    arguments: p.text(),
    outcome: p.text(),
    replayed: p.boolean(),
    /** Greater than one only for calls over the rate limit, which share a row per token and minute. */
    calls: p.integer(),
    called_at: timestamptz(),
    duration_ms: p.double(),
  },
});

export type ToolCallRow = InferEntity<typeof ToolCallEntity>;
