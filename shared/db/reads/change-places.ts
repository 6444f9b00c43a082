import {
  type ChangeCursor,
  type ChangePlace,
  changeCursor,
  changesLimit,
  parseChangeCursor,
} from "../../contracts/change/contracts.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import { deletionKinds } from "../entities/things.ts";
import { own, type UserTable } from "./own.ts";
import { join, literal, raw, type Sql, sql } from "./sql.ts";

/** One row more than a page shows whether there is a next page. */
const limit = literal(changesLimit + 1);

type After = Readonly<{ xid: string; group: number; id: number }>;

/** A source of changes: the kinds of rows that count, and a query for those after a place, in order. */
type ChangeSource = Readonly<{
  /** Cursors carry this number, so it never changes: a new source takes the next one, up to 9. */
  number: number;
  /** For deletions, `group` is the kind. */
  kind?: ResourceKind;
  /** Set for a source that only repeats what a new copy shows anyway. */
  isEcho?: boolean;
  rows(after: After): Sql;
}>;

const deletedKinds: Readonly<Record<number, ResourceKind>> = {
  [deletionKinds.categories]: "category",
  [deletionKinds.habits]: "habit",
  [deletionKinds.todos]: "todo",
};

/** Changes of the rows of a table, each with the id of its thing. */
function rowsOf(table: UserTable, thing = "id"): ChangeSource["rows"] {
  const thingId = raw(`r.${thing}`);
  return ({ xid, id }) => sql`
    select r.changed_xid as xid, 0::bigint as group_id, ${thingId} as id from ${own(table)} r
    where (r.changed_xid, ${thingId}) > (${xid}::xid8, ${id}::bigint) order by r.changed_xid, ${thingId}`;
}

/** Each source is a range of an index, or a user's few habits and categories. */
const sources: readonly ChangeSource[] = [
  { number: 1, kind: "category", rows: rowsOf("categories") },
  { number: 2, kind: "habit", rows: rowsOf("habits") },
  { number: 3, kind: "todo", rows: rowsOf("todos") },
  // A reminder is sent or missed without a change of its todo's row.
  { number: 4, kind: "todo", isEcho: true, rows: rowsOf("reminders", "todo_id") },
  {
    number: 5,
    // Every reminder is shown in the user's zone.
    kind: "todo",
    isEcho: true,
    rows: ({ xid, id }) => sql`
      select u.changed_xid, 0, r.todo_id from ${own("users")} u
      cross join lateral (
        select r.todo_id from ${own("reminders")} r
        where r.todo_id > case when u.changed_xid = ${xid}::xid8 then ${id}::bigint else 0 end
        order by r.todo_id limit ${limit}
      ) r
      where u.changed_xid >= ${xid}::xid8`,
  },
  {
    number: 6,
    // Habits and todos show the name and colour of their category. Those that changed since have a later place.
    kind: "habit",
    isEcho: true,
    rows: ({ xid, group, id }) => sql`
      select c.changed_xid, c.id, h.id from ${own("categories")} c
      join ${own("habits")} h on h.category_id = c.id and h.changed_xid < c.changed_xid
      where (c.changed_xid, c.id, h.id) > (${xid}::xid8, ${group}::bigint, ${id}::bigint)
      order by c.changed_xid, c.id, h.id`,
  },
  {
    number: 7,
    kind: "todo",
    isEcho: true,
    rows: ({ xid, group, id }) => sql`
      select c.changed_xid, c.id, t.id from (
        select c.changed_xid, c.id from ${own("categories")} c
        where (c.changed_xid, c.id) >= (${xid}::xid8, ${group}::bigint) order by c.changed_xid, c.id offset 0
      ) c
      cross join lateral (
        select t.id from ${own("todos")} t
        where t.category_id = c.id and t.changed_xid < c.changed_xid and t.id > case
          when (c.changed_xid, c.id) = (${xid}::xid8, ${group}::bigint) then ${id}::bigint else 0 end
        order by t.id limit ${limit}
      ) t
      order by c.changed_xid, c.id, t.id`,
  },
  {
    number: 8,
    isEcho: true,
    rows: ({ xid, group, id }) => sql`
      select d.changed_xid, d.kind, d.id from ${own("deletions")} d
      where (d.changed_xid, d.kind, d.id) > (${xid}::xid8, ${group}::bigint, ${id}::bigint)
      order by d.changed_xid, d.kind, d.id`,
  },
];

const kindOf = ({ source, group }: Pick<ChangePlace, "source" | "group">): ResourceKind | undefined =>
  sources.find(({ number }) => number === source)?.kind ?? deletedKinds[group];

/**
 * Places of all changes after one, in order.
 * @param since the place from which repeated rows count
 */
function changesAfter(place: ChangePlace, since: bigint): Sql {
  const parts = sources.map(({ number, isEcho, rows }) => {
    const after = afterOf(place, number, isEcho ? since : 0n);
    return sql`select ${literal(number)} as source, f.* from (${rows(after)} limit ${limit}) f`;
  });
  return sql`select * from (${join(parts, " union all ")}) f
    order by f.xid, f.source, f.group_id, f.id limit ${limit}`;
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

type ChangedThings = Readonly<{
  /** Each thing once, at its first place. */
  things: readonly ChangedThing[];
  next_cursor: string;
  has_more: boolean;
  /** The cursor of a reader who has everything up to a place. */
  cursorAt(place: ChangePlace): string;
}>;

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
export async function readChangedThings(
  rows: <Row>(statement: Sql<Row>) => Promise<Row[]>,
  { cursor: text, isFinal, generation }: Options,
): Promise<ChangedThings | undefined> {
  const cursor = text === undefined ? undefined : parseChangeCursor(text);
  const { place, since } = cursor ?? { place: beginning, since: never };
  const found = await rows(sql<ChangeRow>`
    select m.*, f.* from change_marks() m
    left join lateral (${changesAfter(place, since)}) f on true order by f.xid, f.source, f.group_id, f.id`);
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
    cursorAt,
    next_cursor: cursorAt(next ?? { ...beginning, xid: settled }),
    // A page full of unsettled changes comes again, so the client should not ask at once.
    has_more: isFinal ? isMore : next !== undefined || (isMore && settled > place.xid),
  };
}

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
