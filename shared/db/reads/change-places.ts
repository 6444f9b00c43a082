import { type Expression, expressionBuilder, sql } from "kysely";
import {
  type ChangeCursor,
  type ChangePlace,
  changeCursor,
  changesLimit,
  parseChangeCursor,
} from "../../contracts/change/contracts.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import { deletionKinds } from "../entities/things.ts";
import { own, type RowOf, type RunStatement, statement } from "./statement.ts";

/** One row more than a page shows whether there is a next page. */
const limit = sql.lit(changesLimit + 1);

/** The place after which a source begins. */
type After = Readonly<{ xid: string; group: number; id: number }>;

type Rows = (after: Readonly<Record<keyof After, Expression<unknown>>>) => Expression<unknown>;

/** A source of changes: the kinds of rows that count, and a query for those after a place, in order. */
type ChangeSource = Readonly<{
  /** For deletions, `group` is the kind. */
  kind?: ResourceKind;
  /** Set for a source that only repeats what a new copy shows anyway. */
  isEcho?: boolean;
  rows: Rows;
}>;

const deletedKinds: Readonly<Record<number, ResourceKind>> = {
  [deletionKinds.categories]: "category",
  [deletionKinds.habits]: "habit",
  [deletionKinds.todos]: "todo",
};

type Sources = {
  t: RowOf<"todos">;
  h: RowOf<"habits">;
  c: RowOf<"categories">;
  r: RowOf<"reminders">;
  d: RowOf<"deletions">;
};
const { ref } = expressionBuilder<Sources, keyof Sources>();
/** The number of the transaction that wrote a row last. A trigger keeps it, so no entity of these tables has it. */
type Alias = "t" | "h" | "c" | "r" | "u";
const xidOf = (alias: Alias) => sql.ref<string>(`${alias}.changed_xid`);

/** Changes of the rows of a table, each with the id of its thing. */
function rowsOf(table: Expression<unknown>, alias: Alias, thing: Expression<number>): Rows {
  const place = sql`${xidOf(alias)}, ${thing}`;
  return ({ xid, id }) => sql`
    select ${xidOf(alias)} as xid, 0::bigint as group_id, ${thing} as id from ${table} ${sql.ref(alias)}
    where (${place}) > (${xid}, ${id}) order by ${place}`;
}

const placesIn =
  (rows: Expression<unknown>, place: Expression<unknown>): Rows =>
  ({ xid, group, id }) =>
    sql`select ${place} from ${rows} where (${place}) > (${xid}, ${group}, ${id}) order by ${place}`;

/** Every reminder is shown in the user's zone. */
const remindersInZone: Rows = ({ xid, id }) => sql`
  select ${xidOf("u")}, 0, r.todo_id from ${own("users")} u
  cross join lateral (
    select ${ref("r.todo_id")} from ${own("reminders")} r
    where ${ref("r.todo_id")} > case when ${xidOf("u")} = ${xid} then ${id} else 0 end
    order by ${ref("r.todo_id")} limit ${limit}
  ) r
  where ${xidOf("u")} >= ${xid}`;

const categoryPlace = sql`${xidOf("c")}, ${ref("c.id")}`;
/** Habits and todos show the name and colour of their category. Those that changed since have a later place. */
const habitsOfCategories = placesIn(
  sql`${own("categories")} c
    join ${own("habits")} h on ${ref("h.category_id")} = ${ref("c.id")} and ${xidOf("h")} < ${xidOf("c")}`,
  sql`${categoryPlace}, ${ref("h.id")}`,
);
const todosOfCategories: Rows = ({ xid, group, id }) => sql`
  select ${categoryPlace}, ${ref("t.id")} from (
    select ${categoryPlace} from ${own("categories")} c
    where (${categoryPlace}) >= (${xid}, ${group}) order by ${categoryPlace} offset 0
  ) c
  cross join lateral (
    select ${ref("t.id")} from ${own("todos")} t
    where ${ref("t.category_id")} = ${ref("c.id")} and ${xidOf("t")} < ${xidOf("c")}
      and ${ref("t.id")} > case when (${categoryPlace}) = (${xid}, ${group}) then ${id} else 0 end
    order by ${ref("t.id")} limit ${limit}
  ) t
  order by ${categoryPlace}, ${ref("t.id")}`;

const deletions = placesIn(
  sql`${own("deletions")} d`,
  sql`${ref("d.changed_xid")}, ${ref("d.kind")}, ${ref("d.id")}`,
);

/**
 * Each source is a range of an index, or a user's few habits and categories. Cursors carry a source's number, which is its
 * place in this list from 1 to 9, so a new source comes last and none goes.
 */
const inOrder: readonly ChangeSource[] = [
  { kind: "category", rows: rowsOf(own("categories"), "c", ref("c.id")) },
  { kind: "habit", rows: rowsOf(own("habits"), "h", ref("h.id")) },
  { kind: "todo", rows: rowsOf(own("todos"), "t", ref("t.id")) },
  // A reminder is sent or missed without a change of its todo's row.
  { kind: "todo", isEcho: true, rows: rowsOf(own("reminders"), "r", ref("r.todo_id")) },
  { kind: "todo", isEcho: true, rows: remindersInZone },
  { kind: "habit", isEcho: true, rows: habitsOfCategories },
  { kind: "todo", isEcho: true, rows: todosOfCategories },
  { isEcho: true, rows: deletions },
];
const sources = inOrder.map((source, index) => ({ ...source, number: index + 1 }));

const kindOf = ({ source, group }: Pick<ChangePlace, "source" | "group">): ResourceKind | undefined =>
  sources[source - 1]?.kind ?? deletedKinds[group];

const places = Object.fromEntries(
  sources.flatMap(({ number }): [string, "xid8" | "bigint"][] => [
    [`xid_${number}`, "xid8"],
    [`group_${number}`, "bigint"],
    [`id_${number}`, "bigint"],
  ]),
);

/** The marks, and beside them the places of all changes after those of the sources, in order. */
const changesAfter = statement(places, (value) => {
  const parts = sources.map(({ number, rows }) => {
    const [xid, group, id] = [value(`xid_${number}`), value(`group_${number}`), value(`id_${number}`)];
    return sql`select ${sql.lit(number)} as source, f.* from (${rows({ xid, group, id })} limit ${limit}) f`;
  });
  return sql<ChangeRow>`
    select m.*, f.* from change_marks() m
    left join lateral (
      select * from (${sql.join(parts, sql` union all `)}) f
      order by f.xid, f.source, f.group_id, f.id limit ${limit}
    ) f on true order by f.xid, f.source, f.group_id, f.id`;
});

/**
 * The values of the places.
 * @param since the place from which repeated rows count
 */
function placesAfter(place: ChangePlace, since: bigint) {
  const values: Record<string, string | number> = {};
  for (const { number, isEcho } of sources) {
    const { xid, group, id } = afterOf(place, number, isEcho ? since : 0n);
    Object.assign(values, { [`xid_${number}`]: xid, [`group_${number}`]: group, [`id_${number}`]: id });
  }
  return values;
}

const end = Number.MAX_SAFE_INTEGER;

/** Within one transaction the sources come one after another, so a place is before, in or after each of them. */
function afterOf({ xid, source, group, id }: ChangePlace, number: number, from: bigint): After {
  if (xid < from) return { xid: String(from), group: 0, id: 0 };
  if (number > source) return { xid: String(xid), group: 0, id: 0 };
  return number < source ? { xid: String(xid), group: end, id: end } : { xid: String(xid), group, id };
}

/** The numbers of transactions when the statement ran; see the function change_marks in the migrations. */
type Marks = { generation: string; settled_xid: string; next_xid: string; pruned_xid: string };
type ChangeRow = Marks & { xid: string | null; source: number; group_id: number; id: number };

const beginning: ChangePlace = { xid: 0n, source: 0, group: 0, id: 0 };
const never = 2n ** 64n - 1n;

type ChangedThing = Readonly<{ kind: ResourceKind; id: number; place: ChangePlace }>;

type Options = Readonly<{
  cursor?: string | undefined;
  /** The numbering of a cursor that lies beside the changes: a crash gives no number before it out again. */
  generation?: string;
  /** Shows final places alone, so no change comes twice to a reader who goes on. */
  isFinal: boolean;
}>;

/**
 * Everything below `settled_xid` is committed or rolled back, so a place there is final. Newer rows are shown as
 * well, so that callers read their own writes, but the next page begins at `settled_xid` again.
 * @returns undefined when the cursor is outdated
 */
export async function readChangedThings(rows: RunStatement, { cursor: text, isFinal, generation }: Options) {
  const cursor = text === undefined ? undefined : parseChangeCursor(text);
  const { place, since } = cursor ?? { place: beginning, since: never };
  const found = await rows(changesAfter(placesAfter(place, since)));
  const [first] = found;
  if (!first) throw new Error("The statement of changes gave no row.");
  const marks = { ...first, ...(generation && { generation }) };
  if (cursor && isOutdated(cursor, marks)) return undefined;
  const settled = BigInt(marks.settled_xid);
  const places = found.flatMap(({ xid, source, group_id: group, id }) =>
    xid === null ? [] : [{ xid: BigInt(xid), source, group, id: Number(id) }],
  );
  const shown = places.filter(({ xid }) => !isFinal || xid < settled);
  const page = shown.slice(0, changesLimit);
  const isMore = places.length > page.length;
  const last = page.at(-1);
  const next = shown.length > page.length && last && last.xid < settled ? last : undefined;
  const cursorAt = (at: ChangePlace) =>
    changeCursor({ generation: marks.generation, since: cursor?.since ?? settled, place: at });
  return {
    things: thingsAt(page),
    /** The cursor of a reader who has everything up to a place. */
    cursorAt,
    next_cursor: cursorAt(next ?? { ...beginning, xid: settled }),
    // A page full of unsettled changes comes again, so the client should not ask at once.
    has_more: isFinal ? isMore : next !== undefined || (isMore && settled > place.xid),
  };
}

/** Each thing once, at its first place. */
function thingsAt(places: readonly ChangePlace[]): ChangedThing[] {
  const things = new Map<string, ChangedThing>();
  for (const place of places) {
    const kind = kindOf(place);
    const name = `${kind} ${place.id}`;
    if (kind && !things.has(name)) things.set(name, { kind, id: place.id, place });
  }
  return [...things.values()];
}

/** The numbering has changed, the number was never given out, or later deletions are forgotten. */
function isOutdated({ generation, since, place }: ChangeCursor, marks: Marks): boolean {
  // A new copy is still reading old rows, but needs no deletion from before its beginning.
  const knows = place.xid > since ? place.xid : since;
  return (
    generation !== marks.generation || knows > BigInt(marks.next_xid) || knows <= BigInt(marks.pruned_xid)
  );
}
