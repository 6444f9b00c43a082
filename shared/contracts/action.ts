import { Type } from "typebox";
import { command, query } from "./contract.ts";
import { Nullable, Timestamp, WholeNumber } from "./fields.ts";

/** The action log: what each token did over MCP. No scopes: not reachable with a bearer token. */
const Call = Type.Object({
  requestId: Type.String(),
  tokenId: Type.String(),
  clientName: Nullable(Type.String()),
  tool: Type.String(),
  arguments: Type.String(),
  startedAt: Type.Number(),
});

export const recordAction = command({
  name: "action.record",
  scopes: [],
  summary: "Write the row of a tool call that changes nothing: a read, or a refused call",
  input: Type.Object({ call: Call, outcome: Type.String() }),
  output: Type.Null(),
});

const ActionCursor = Type.String({
  pattern: "^[0-9T:.Z-]{27}_[0-9a-f-]{36}$",
  expects: "the next_cursor of an earlier answer",
});

export const Action = Type.Object({
  request_id: Type.String(),
  token_id: Type.String(),
  client_name: Nullable(Type.String()),
  tool: Type.String(),
  arguments: Type.String({ description: "JSON, as the caller sent it" }),
  outcome: Type.String({ description: "ok, or the code of the refusal" }),
  replayed: Type.Boolean(),
  called_at: Timestamp,
  duration_ms: Type.Number(),
});

export const listActions = query({
  name: "action.list",
  scopes: [],
  summary: "A user's tool calls, newest first, after a cursor",
  input: Type.Object({
    token_id: Type.Optional(Type.String()),
    tool: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.String()),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    cursor: Type.Optional(ActionCursor),
    limit: Type.Optional(WholeNumber(1, 200)),
  }),
  output: Type.Object({ actions: Type.Array(Action), next_cursor: Nullable(Type.String()) }),
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
