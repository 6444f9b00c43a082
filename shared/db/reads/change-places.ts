import { changesLimit } from "../../contracts/change/contracts.ts";
import {
  type ChangeCursor,
  type ChangePlace,
  changeCursor,
  parseChangeCursor,
} from "../../contracts/change/cursor.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import { changesAfter, kindOf } from "./change-sources.ts";
import { own } from "./own.ts";
import { type Sql, sql } from "./sql.ts";

/** The numbers of transactions when the statement ran; see the function change_marks in the migrations. */
type Marks = { generation: string; settled_xid: string; next_xid: string; pruned_xid: string };
type ChangeRow = Marks & { xid: string | null; source: number; group_id: number; id: number };

const beginning: ChangePlace = { xid: 0n, source: 0, group: 0, id: 0 };
const never = 2n ** 64n - 1n;

type ChangedThing = Readonly<{ kind: ResourceKind; id: number }>;

type ChangedThings = Readonly<{
  /** Each thing once, at its first place. */
  things: readonly ChangedThing[];
  next_cursor: string;
  has_more: boolean;
}>;

type Options = Readonly<{
  cursor?: string | undefined;
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
  { cursor: text, isFinal }: Options,
): Promise<ChangedThings | undefined> {
  const cursor = text === undefined ? undefined : parseChangeCursor(text);
  const { place, since } = cursor ?? { place: beginning, since: never };
  const found = await rows(sql<ChangeRow>`
    select m.*, f.* from change_marks() m
    left join lateral (${changesAfter(own, place, since)}) f on true order by f.xid, f.source, f.group_id, f.id`);
  const [marks] = found;
  if (!marks) throw new Error("The statement of changes gave no row.");
  if (cursor && isOutdated(cursor, marks)) return undefined;
  const settled = BigInt(marks.settled_xid);
  const places = found.flatMap(({ xid, source, group_id: group, id }) =>
    xid === null ? [] : [{ xid: BigInt(xid), source, group, id: Number(id) }],
  );
  const page = places.filter(({ xid }) => !isFinal || xid < settled).slice(0, changesLimit);
  const isMore = places.length > page.length;
  const last = page.at(-1);
  const next = isMore && last && last.xid < settled ? last : undefined;
  return {
    things: thingsAt(page),
    next_cursor: changeCursor({
      generation: marks.generation,
      since: cursor?.since ?? settled,
      place: next ?? { ...beginning, xid: settled },
    }),
    // A page full of unsettled changes comes again, so the client should not ask at once.
    has_more: isFinal ? isMore : next !== undefined || (isMore && settled > place.xid),
  };
}

function thingsAt(places: readonly ChangePlace[]): ChangedThing[] {
  const things = new Map<string, ChangedThing>();
  for (const place of places) {
    const kind = kindOf(place);
    const name = `${kind} ${place.id}`;
    if (kind && !things.has(name)) things.set(name, { kind, id: place.id });
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
