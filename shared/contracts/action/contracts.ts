import { type Static, Type } from "typebox";
import Format from "typebox/format";
import { actionEffects, actionKinds, doors, resourceKinds } from "../../domain/vocabulary.ts";
import { command, query } from "../kernel/contract.ts";
import { Flag, Id, Nullable, OneOf, SearchText, Timestamp, WholeNumber } from "../kernel/fields.ts";
import { isCalendarDate } from "../kernel/text.ts";

/** The action log records the actions of each token and of people on the account pages. No bearer token reaches it. */

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
  input: Type.Object({
    call: ToolCallFields,
    outcome: Type.String(),
    message: Type.Optional(Type.String({ description: "The sentence of a refusal" })),
  }),
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

/** Stricter than RFC 3339: PostgreSQL has no year 0, and Date no leap second. */
const instant = String.raw`(?<date>[\d-]{10})T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?Z`;
function setFormat(name: string, pattern: string): void {
  const shape = new RegExp(`^${pattern}$`);
  Format.Set(name, (text) => isCalendarDate(shape.exec(text)?.groups?.date ?? ""));
}
setFormat("action-time", instant);
setFormat("action-cursor", String.raw`${instant}_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}`);
const ToolCallCursor = Type.String({
  format: "action-cursor",
  expects: "the next_cursor of an earlier answer",
});

export const Instant = Type.String({ format: "action-time", expects: "a time such as 2026-11-20T09:15:00Z" });
export const actionKeyFields = { called_at: Instant, request_id: Type.String({ format: "uuid" }) };

/** Downloads have the fields in this order. */
export const LoggedAction = Type.Object({
  called_at: actionKeyFields.called_at,
  door: OneOf(doors),
  client_name: Nullable(Type.String()),
  tool: Type.String(),
  outcome: Type.String({ description: "ok, or the code of the refusal" }),
  message: Nullable(Type.String({ description: "The sentence of the refusal" })),
  resource_kind: Nullable(OneOf(resourceKinds)),
  resource_id: Nullable(Id),
  resource_name: Nullable(Type.String({ description: "Its name when that happened" })),
  before: Nullable(Type.String({ description: "JSON of what was changed, by row, or a cut of it" })),
  after: Nullable(Type.String()),
  arguments: Type.String({ description: "JSON, as the caller sent it, or an array of what was kept of it" }),
  undone_by: Nullable(Type.String({ description: "The request id of the action that took it back" })),
  replayed: Type.Boolean(),
  calls: Type.Integer({ description: "More than one: calls over the rate limit within one minute" }),
  duration_ms: Type.Number(),
  token_id: Type.String(),
  request_id: actionKeyFields.request_id,
});

export type LoggedAction = Static<typeof LoggedAction>;

/** A value to compare with a column. Postgres takes no NUL. */
const Filter = Type.String({ pattern: "^[^\\u0000]*$", expects: "printable text" });

export const listActions = query({
  name: "action.list",
  scopes: [],
  summary: "What was done in a user's name, newest first, after a cursor",
  searchField: "q",
  input: Type.Object({
    kinds: Type.Optional(Type.Array(OneOf(actionKinds), { minItems: 1 })),
    effect: Type.Optional(OneOf(actionEffects)),
    /** A text in names and values of the action, regardless of case and accents. */
    q: Type.Optional(SearchText),
    /** Actions on one thing, including those that changed others as well. */
    thing: Type.Optional(
      Type.String({
        pattern: `^(${resourceKinds.join("|")})/[1-9]\\d{0,15}$`,
        expects: "a thing such as todo/5",
      }),
    ),
    token_id: Type.Optional(Filter),
    door: Type.Optional(OneOf(doors)),
    tool: Type.Optional(Filter),
    outcome: Type.Optional(Filter),
    /** Only changes that are not undone. */
    undoable: Type.Optional(Flag),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(ToolCallCursor),
    limit: Type.Optional(WholeNumber(1, 200)),
  }),
  output: Type.Object({ actions: Type.Array(LoggedAction), next_cursor: Nullable(Type.String()) }),
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

export const forgetResource = command({
  name: "action.forget",
  apart: true,
  scopes: [],
  summary: "Forget a deleted thing: what the log and the stored answers still say of it",
  input: Type.Object({ kind: OneOf(resourceKinds), id: Id }),
  output: Type.Null(),
  events: ({ kind, id }) => [{ kind: "forgotten", details: { thing: `${kind} (${id})` } }],
});

/** The most actions that one command undoes. */
export const maxUndone = 100;
/** The most text of images (UTF-16 units) for one command. Parsing and writing it blocks a worker for some 50 ms. */
export const maxUndoneLength = 500_000;
/** Days for which an action can be undone: as long as images, and completions of deleted habits, are kept. */
export const undoDays = 30;

export const undoConflicts = [
  "unknown",
  "too_old",
  "nothing_changed",
  "taken_back",
  "changed_since",
  "deleted_since",
  "made_again",
  "in_use",
  "category_gone",
] as const;

export const UndoConflict = Type.Object({
  row: Nullable(Type.String({ description: "Such as todos/5; null where it is about the action itself" })),
  fields: Type.Array(Type.String(), { description: "Empty where it is about the whole row" }),
  why: OneOf(undoConflicts),
});

export type UndoConflict = Readonly<Static<typeof UndoConflict>>;

/** The outcome for one action, real or previewed: `part` when some of it had to stay. */
export const UndoEnd = Type.Object({
  ...actionKeyFields,
  undone: OneOf(["whole", "part", "none"]),
  conflicts: Type.Array(UndoConflict),
});

/** A category that came back, and whose members come back in later steps. */
const MembersLeft = Type.Object({ category_id: Id });

/**
 * A step of a longer undo undoes the remaining actions not at all, or in part. A step with all of its actions need
 * not leave any for a later one.
 */
export const stepsOfRun = ["whole", "whole_unless_all", "part"] as const;

export const undoActions = command({
  name: "action.undo",
  apart: true,
  scopes: [],
  summary:
    "Take actions back, the newest first, as far as nobody changed since what they did; as many of them as one transaction takes",
  input: Type.Object({
    actions: Type.Array(Type.Object(actionKeyFields), { minItems: 1, maxItems: maxUndone }),
    step: Type.Optional(OneOf(stepsOfRun)),
  }),
  output: Type.Object({
    ends: Type.Array(UndoEnd, { description: "The first actions: those that were undone or tried" }),
    left: Type.Array(MembersLeft),
  }),
});

export const undoRun = command({
  name: "action.undo-run",
  apart: true,
  scopes: [],
  summary: "Take back all that a token did in a time, in as many steps as that takes",
  input: Type.Object({ token_id: Type.String({ minLength: 1 }), from: Instant, to: Instant }),
  output: Type.Object({ work_id: Type.String({ format: "uuid" }) }),
});
