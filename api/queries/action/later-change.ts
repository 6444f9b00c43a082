import type { UndoConflict } from "../../../shared/contracts/action/undo.ts";
import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { type Image, isSame } from "../../../shared/domain/action/image-fields.ts";
import type { BeforeAndAfter, Images } from "../../../shared/domain/action/images.ts";
import { readImages } from "../../../shared/domain/action/stored-images.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Door } from "../../../shared/domain/vocabulary.ts";
import { mapGivingWay } from "../../../shared/process/give-way.ts";
import type { QueryContext } from "../engine/context.ts";

/** A place in the log, and an action that changed something after it. */
type Place = Readonly<{ called_at: string; request_id: string }>;
export type LaterChange = Place &
  Readonly<{
    door: Door;
    token_id: string;
    client_name: string | null;
    /** Images of the rows that were asked for. */
    images: BeforeAndAfter;
  }>;
type FoundChange = Omit<LaterChange, "images"> & Readonly<{ before: string | null; after: string | null }>;

/** The most later actions examined, so that a long log costs no more than a short one. */
const mostLookedAt = 20_000;
const mostFound = 500;
/** Images of one action can be megabytes, and all that are found are parsed here. */
const mostBytes = 4_000_000;

/**
 * Reads later changes of any of the rows, oldest first; undone ones come last, because they rarely explain
 * anything. The result is empty if the read takes too long.
 * @param rowNames as in images
 */
export async function readLaterChanges(
  { own, rows }: QueryContext,
  { called_at, request_id }: Place,
  rowNames: readonly string[],
): Promise<readonly LaterChange[]> {
  const names = rowNames.map((name) => `"${name}":`);
  const found = rows(sql<FoundChange>`
    select called_at, request_id, door, token_id, client_name, before, after from (
      select found.*, sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0))
        over (order by is_last, called_at, request_id) as bytes
      from (
        select a.called_at, a.request_id, a.door, a.token_id, a.client_name,
          coalesce(i.before, a.before) as before, coalesce(i.after, a.after) as after,
          a.undone_by is not null or a.tool = 'action.undo' as is_last
        from (
          select l.* from ${own("action_log")} l
          where (l.called_at, l.request_id) > (${called_at}::timestamptz, ${request_id}::uuid)
          order by l.called_at, l.request_id limit ${literal(mostLookedAt)}
        ) a
        left join lateral (
          select w.before, w.after from ${own("action_images")} w
          where w.called_at = a.called_at and w.request_id = a.request_id
            and (starts_with(a.before, '[') or starts_with(a.after, '['))
        ) i on true
        where exists (
          select from unnest(${names}::text[]) as name
          where position(name in coalesce(i.before, a.before)) > 0 or position(name in coalesce(i.after, a.after)) > 0
        )
        order by is_last, a.called_at, a.request_id limit ${literal(mostFound)}
      ) found
    ) measured
    where bytes <= ${literal(mostBytes)}
    order by is_last, called_at, request_id`);
  const changes = await found.catch((error) => {
    if (error instanceof DatabaseFailure) return [];
    throw error;
  });
  return mapGivingWay(changes, ({ before, after, ...change }) => ({
    ...change,
    called_at: timestamp(change.called_at),
    images: { before: imagesOfRows(before, rowNames), after: imagesOfRows(after, rowNames) },
  }));
}

function imagesOfRows(stored: string | null, rowNames: readonly string[]): Images {
  const { images } = readImages(stored);
  return Object.fromEntries(
    rowNames.flatMap((name): [string, Image][] => {
      const image = images[name];
      return image ? [[name, image]] : [];
    }),
  );
}

/** True if a change touched the field of a row; making or removing the row touches all fields. */
function touches({ images }: LaterChange, row: string, field: string): boolean {
  const [old, made] = [images.before[row], images.after[row]];
  if (!old || !made) return old !== made;
  return (field in old || field in made) && !isSame(old[field], made[field]);
}

const mentions = ({ images }: LaterChange, row: string): boolean =>
  row in images.before || row in images.after;

const removes = ({ images }: LaterChange, row: string): boolean =>
  row in images.before && !(row in images.after);

/** A reminder is a row of its own, so changes of its todo do not count. */
const reminderOf = (row: string): string => row.replace("todos/", "reminders/");

export function rowsInTheWay({ row, fields, why }: UndoConflict): string[] {
  if (row === null || (why !== "changed_since" && why !== "deleted_since")) return [];
  return fields.includes("reminder") ? [row, reminderOf(row)] : [row];
}

/** Fields that several actions changed are named one by one. */
export function withChanges(conflict: UndoConflict, changes: readonly LaterChange[]) {
  const { row, fields, why } = conflict;
  if (row === null || rowsInTheWay(conflict).length === 0) return [{ ...conflict, by: undefined }];
  if (why === "deleted_since") return [{ ...conflict, by: changes.find((change) => removes(change, row)) }];
  const first = (field: string) =>
    changes.find((change) =>
      field === "reminder" ? mentions(change, reminderOf(row)) : touches(change, row, field),
    );
  return [...Map.groupBy(fields, first)].map(([by, together]) => ({ ...conflict, fields: together, by }));
}
