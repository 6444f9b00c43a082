import { type Static, type TSchema, Type } from "typebox";
import Format from "typebox/format";
import { categoryExamples } from "../category/contracts.ts";
import { Category } from "../category/fields.ts";
import { exampleHabit } from "../habit/examples.ts";
import { Habit } from "../habit/fields.ts";
import { query, route } from "../kernel/contract.ts";
import { Id, Nullable, titled, titledObject } from "../kernel/fields.ts";
import { exampleTodo } from "../todo/examples.ts";
import { Todo } from "../todo/fields.ts";

/**
 * The progress of a client's copy, which has every change before this place. Places are ordered by the number of
 * the transaction, then by the source's number (see shared/db/reads/change-places.ts) and by ids.
 */
export type ChangePlace = Readonly<{ xid: bigint; source: number; group: number; id: number }>;

export type ChangeCursor = Readonly<{
  /** The numbering of transactions that it belongs to. */
  generation: string;
  /** The beginning of the copy; older rows are shown once, by themselves. */
  since: bigint;
  place: ChangePlace;
}>;

const shape = /^([\da-f]{1,16})\.(\d{1,20})\.(\d{1,20})\.(\d)\.(\d{1,16})\.(\d{1,16})$/;
const maxXid = 2n ** 64n - 1n;

export const changeCursor = ({ generation, since, place }: ChangeCursor): string =>
  [generation, since, place.xid, place.source, place.group, place.id].join(".");

/** @returns undefined when the text is not a cursor */
export function parseChangeCursor(text: string): ChangeCursor | undefined {
  const [, generation, since, xid, source, group, id] = shape.exec(text) ?? [];
  if (generation === undefined || since === undefined || xid === undefined) return undefined;
  const place = { xid: BigInt(xid), source: Number(source), group: Number(group), id: Number(id) };
  const fits = BigInt(since) <= maxXid && place.xid <= maxXid;
  const areIds = Number.isSafeInteger(place.group) && Number.isSafeInteger(place.id);
  return fits && areIds ? { generation, since: BigInt(since), place } : undefined;
}

const isChangeCursor = (text: string): boolean => parseChangeCursor(text) !== undefined;
Format.Set("change-cursor", isChangeCursor);

const beginAnew = "leave it out to start over";

export const cursorIsOutdated = `The cursor field has expired; ${beginAnew}.`;

const ChangeCursorField = Type.String({
  format: "change-cursor",
  expects: `the next_cursor of an earlier answer; ${beginAnew}`,
});

export const changesLimit = 200;

function changeOf<const Kind extends string, Resource extends TSchema>(
  type: Kind,
  resource: Resource & Readonly<{ title: string }>,
) {
  return titledObject(`${resource.title}Change`, {
    type: Type.Literal(type),
    id: Id,
    deleted: Type.Boolean(),
    resource: Nullable<Resource>(resource),
  });
}

export const ResourceChange = titled(
  "Change",
  Type.Union([changeOf("category", Category), changeOf("habit", Habit), changeOf("todo", Todo)]),
);

const Changes = titledObject("Changes", {
  data: Type.Array(ResourceChange, { maxItems: changesLimit }),
  next_cursor: Type.String(),
  has_more: Type.Boolean(),
});

const exampleCategory = categoryExamples.get.output;
const data: Static<typeof ResourceChange>[] = [
  { type: "category", id: exampleCategory.id, deleted: false, resource: exampleCategory },
  { type: "todo", id: exampleTodo.id, deleted: false, resource: exampleTodo },
  { type: "habit", id: exampleHabit.id, deleted: false, resource: exampleHabit },
];

const example = {
  input: {},
  output: { data, next_cursor: "8c1f20a57d3be964.81230.81274.0.0.0", has_more: false },
};

/** Seconds for which a question may wait for an answer. */
const longestWait = 30;

export const listChanges = query({
  name: "change.list",
  scopes: ["habits:read", "todos:read", "categories:read"],
  summary: "List what was written or deleted since a cursor, or everything without one",
  rest: [route("listChanges", "GET", "/changes", example)],
  input: Type.Object({
    cursor: Type.Optional(ChangeCursorField),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestWait,
        expects: `a number of seconds from 0 to ${longestWait}`,
        description: "Seconds to wait for a change if there is none; the answer comes with the first one.",
      }),
    ),
  }),
  output: Changes,
});

/** Only final changes are streamed, so none comes twice on one connection. */
export const streamChanges = query({
  name: "change.stream",
  scopes: listChanges.scopes,
  summary: "Follow what is written or deleted, as server-sent events",
  rest: [route("streamChanges", "GET", "/changes/stream", example, { streams: true })],
  input: Type.Object({ cursor: Type.Optional(ChangeCursorField) }),
  output: Changes,
});
