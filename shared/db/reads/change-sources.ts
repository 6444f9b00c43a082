import { changesLimit } from "../../contracts/change/contracts.ts";
import type { ChangePlace } from "../../contracts/change/cursor.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import { deletionKinds } from "../entities/deletion.ts";
import type { own as ownRows } from "./own.ts";
import { join, literal, type Sql, sql } from "./sql.ts";

/** One row more than a page shows whether there is a next page. */
const limit = literal(changesLimit + 1);

type Own = typeof ownRows;

type After = Readonly<{ xid: string; group: number; id: number }>;

/** A source of changes: the kinds of rows that count, and a query for those after a place, in order. */
type ChangeSource = Readonly<{
  /** Cursors carry this number, so it never changes: a new source takes the next one, up to 9. */
  number: number;
  /** For deletions, `group` is the kind. */
  kind?: ResourceKind;
  /** Set for a source that only repeats what a new copy shows anyway. */
  isEcho?: boolean;
  rows(own: Own, after: After): Sql;
}>;

const deletedKinds: Readonly<Record<number, ResourceKind>> = {
  [deletionKinds.categories]: "category",
  [deletionKinds.habits]: "habit",
  [deletionKinds.todos]: "todo",
};

/** Each source is a range of an index, or a user's few habits and categories. */
const sources: readonly ChangeSource[] = [
  {
    number: 1,
    kind: "category",
    rows: (own, { xid, id }) => sql`
      select c.changed_xid as xid, 0::bigint as group_id, c.id from ${own("categories")} c
      where (c.changed_xid, c.id) > (${xid}::xid8, ${id}::bigint) order by c.changed_xid, c.id`,
  },
  {
    number: 2,
    kind: "habit",
    rows: (own, { xid, id }) => sql`
      select h.changed_xid, 0, h.id from ${own("habits")} h
      where (h.changed_xid, h.id) > (${xid}::xid8, ${id}::bigint) order by h.changed_xid, h.id`,
  },
  {
    number: 3,
    kind: "todo",
    rows: (own, { xid, id }) => sql`
      select t.changed_xid, 0, t.id from ${own("todos")} t
      where (t.changed_xid, t.id) > (${xid}::xid8, ${id}::bigint) order by t.changed_xid, t.id`,
  },
  {
    number: 4,
    // A reminder is sent or missed without a change of its todo's row.
    kind: "todo",
    isEcho: true,
    rows: (own, { xid, id }) => sql`
      select r.changed_xid, 0, r.todo_id from ${own("reminders")} r
      where (r.changed_xid, r.todo_id) > (${xid}::xid8, ${id}::bigint) order by r.changed_xid, r.todo_id`,
  },
  {
    number: 5,
    // Every reminder is shown in the user's zone.
    kind: "todo",
    isEcho: true,
    rows: (own, { xid, id }) => sql`
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
    // Habits and todos show the name and colour of their category.
    kind: "habit",
    isEcho: true,
    rows: (own, { xid, group, id }) => sql`
      select c.changed_xid, c.id, h.id from ${own("categories")} c
      join ${own("habits")} h on h.category_id = c.id
      where (c.changed_xid, c.id, h.id) > (${xid}::xid8, ${group}::bigint, ${id}::bigint)
      order by c.changed_xid, c.id, h.id`,
  },
  {
    number: 7,
    kind: "todo",
    isEcho: true,
    rows: (own, { xid, group, id }) => sql`
      select c.changed_xid, c.id, t.id from (
        select c.changed_xid, c.id from ${own("categories")} c
        where (c.changed_xid, c.id) >= (${xid}::xid8, ${group}::bigint) order by c.changed_xid, c.id offset 0
      ) c
      cross join lateral (
        select t.id from ${own("todos")} t
        where t.category_id = c.id and t.id > case
          when (c.changed_xid, c.id) = (${xid}::xid8, ${group}::bigint) then ${id}::bigint else 0 end
        order by t.id limit ${limit}
      ) t
      order by c.changed_xid, c.id, t.id`,
  },
  {
    number: 8,
    isEcho: true,
    rows: (own, { xid, group, id }) => sql`
      select d.changed_xid, d.kind, d.id from ${own("deletions")} d
      where (d.changed_xid, d.kind, d.id) > (${xid}::xid8, ${group}::bigint, ${id}::bigint)
      order by d.changed_xid, d.kind, d.id`,
  },
];

export const kindOf = ({ source, group }: Pick<ChangePlace, "source" | "group">): ResourceKind | undefined =>
  sources.find(({ number }) => number === source)?.kind ?? deletedKinds[group];

/**
 * Places of all changes after one, in order.
 * @param since the place from which repeated rows count
 */
export function changesAfter(own: Own, place: ChangePlace, since: bigint): Sql {
  const parts = sources.map(({ number, isEcho, rows }) => {
    const after = afterOf(place, number, isEcho ? since : 0n);
    return sql`select ${literal(number)} as source, f.* from (${rows(own, after)} limit ${limit}) f`;
  });
  return sql`select * from (${join(parts, " union all ")}) f
    order by f.xid, f.source, f.group_id, f.id limit ${limit}`;
}

const end = Number.MAX_SAFE_INTEGER;

/** Within one transaction the sources come one after another, so a place is before, in or after each of them. */
function afterOf({ xid, source, group, id }: ChangePlace, own: number, from: bigint): After {
  if (xid < from) return { xid: String(from), group: 0, id: 0 };
  if (own > source) return { xid: String(xid), group: 0, id: 0 };
  return own < source ? { xid: String(xid), group: end, id: end } : { xid: String(xid), group, id };
}
