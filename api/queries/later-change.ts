import { sql } from "kysely";
import { type Image, isSame } from "../../shared/domain/images.ts";
import { readImages } from "../../shared/domain/stored-images.ts";
import { timestamp } from "../../shared/domain/timestamp.ts";
import type { Door } from "../../shared/domain/vocabulary.ts";
import type { QueryContext } from "./context.ts";

/** A row of somebody's, by its name in images, and the fields that are meant; none for the row as a whole. */
type TouchedRow = Readonly<{ row: string; fields: readonly string[] }>;

export type LaterChange = Readonly<{
  called_at: string;
  door: Door;
  token_id: string;
  client_name: string | null;
}>;

type Place = Readonly<{ called_at: string; request_id: string }>;
type Found = LaterChange & Readonly<{ before: string | null; after: string | null }>;

/** How many later actions are looked at, so that a long log costs no more than a short one. */
const mostLookedAt = 20_000;
const mostFound = 20;

/**
 * Who changed since an action what it had done: the first later one that touched the row and one of the fields. What was
 * taken back again counts only where nothing else did.
 */
export async function readLaterChange(
  query: QueryContext,
  { called_at, request_id }: Place,
  { row, fields }: TouchedRow,
): Promise<LaterChange | undefined> {
  const { own, rows } = query;
  const name = `"${row}":`;
  const found = await rows(sql<Found>`
    select a.called_at, a.door, a.token_id, a.client_name,
      coalesce(i.before, a.before) as before, coalesce(i.after, a.after) as after
    from (
      select l.* from ${own("action_log")} l
      where (l.called_at, l.request_id) > (${called_at}::timestamptz, ${request_id}::uuid)
      order by l.called_at, l.request_id limit ${sql.lit(mostLookedAt)}
    ) a
    left join lateral (
      select w.before, w.after from ${own("action_images")} w
      where w.called_at = a.called_at and w.request_id = a.request_id
        and (starts_with(a.before, '[') or starts_with(a.after, '['))
    ) i on true
    where position(${name} in coalesce(i.before, a.before)) > 0
      or position(${name} in coalesce(i.after, a.after)) > 0
    order by a.undone_by is not null or a.tool = 'action.undo', a.called_at, a.request_id
    limit ${sql.lit(mostFound)}`);
  const first = found.find((later) => touches(later, { row, fields }));
  return first && { ...first, called_at: timestamp(first.called_at) };
}

function touches({ before, after }: Found, { row, fields }: TouchedRow): boolean {
  const [old, made]: (Image | undefined)[] = [readImages(before).images[row], readImages(after).images[row]];
  if (!old || !made || fields.length === 0) return true;
  return fields.some((field) => (field in old || field in made) && !isSame(old[field], made[field]));
}
