import { Type } from "typebox";
import Format from "typebox/format";
import { command, query } from "./contract.ts";
import { Nullable, Timestamp, WholeNumber } from "./fields.ts";
import { isCalendarDate } from "./text.ts";

/** A call in the action log, which records what each token did over MCP. It cannot be reached with a bearer token. */
const ToolCallFields = Type.Object({
  requestId: Type.String(),
  tokenId: Type.String(),
  clientName: Nullable(Type.String()),
  tool: Type.String(),
  arguments: Type.String(),
  startedAt: Type.Number(),
});

export const recordToolCall = command({
  name: "action.record",
  scopes: [],
  summary: "Write the row of a tool call that changes nothing: a read, or a refused call",
  input: Type.Object({ call: ToolCallFields, outcome: Type.String() }),
  output: Type.Null(),
});

/** The row's `requestId` and `startedAt` are those of the token's minute. */
export const countToolCalls = command({
  name: "action.count",
  scopes: [],
  summary: "Add to the number of a token's calls over the rate limit in one minute",
  input: Type.Object({ call: ToolCallFields, calls: WholeNumber(1, Number.MAX_SAFE_INTEGER) }),
  output: Type.Null(),
});

const cursorShape =
  /^(?<date>[\d-]{10})T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{6}Z_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
Format.Set("action-cursor", (text) => isCalendarDate(cursorShape.exec(text)?.groups?.date ?? ""));
const ToolCallCursor = Type.String({
  format: "action-cursor",
  expects: "the next_cursor of an earlier answer",
});

export const LoggedToolCall = Type.Object({
  request_id: Type.String(),
  token_id: Type.String(),
  client_name: Nullable(Type.String()),
  tool: Type.String(),
  arguments: Type.String({ description: "JSON, as the caller sent it, or an array of what was kept of it" }),
  outcome: Type.String({ description: "ok, or the code of the refusal" }),
  replayed: Type.Boolean(),
  calls: Type.Integer({ description: "More than one: calls over the rate limit within one minute" }),
  called_at: Timestamp,
  duration_ms: Type.Number(),
});

/** A value that a column is compared with. Postgres takes no NUL. */
const Filter = Type.String({ pattern: "^[^\\u0000]*$", expects: "printable text" });
const Instant = Type.String({
  format: "date-time",
  pattern: "^(?!0000).*Z$",
  expects: "a time such as 2026-11-20T09:15:00Z",
});

export const listToolCalls = query({
  name: "action.list",
  scopes: [],
  summary: "A user's tool calls, newest first, after a cursor",
  input: Type.Object({
    token_id: Type.Optional(Filter),
    tool: Type.Optional(Filter),
    outcome: Type.Optional(Filter),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(ToolCallCursor),
    limit: Type.Optional(WholeNumber(1, 200)),
  }),
  output: Type.Object({ actions: Type.Array(LoggedToolCall), next_cursor: Nullable(Type.String()) }),
});

export const listTokens = query({
  name: "action.tokens",
  scopes: [],
  summary: "The tokens that a user's tool calls came with, the last used first",
  input: Type.Object({}),
  output: Type.Object({
    tokens: Type.Array(
      Type.Object({
        token_id: Type.String(),
        client_name: Nullable(Type.String()),
        last_called_at: Timestamp,
      }),
    ),
  }),
});
