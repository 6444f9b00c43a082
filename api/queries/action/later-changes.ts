import { sql } from "kysely";
import type { LoggedAction, UndoConflict } from "../../../shared/contracts/action/contracts.ts";
import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { isSame } from "../../../shared/domain/action/image-fields.ts";
import { type BeforeAndAfter, readImages } from "../../../shared/domain/action/images.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { mapGivingWay } from "../../../shared/process/give-way.ts";
import type { QueryContext } from "../engine/context.ts";
import { action, actionsWhere, oldestFirst } from "./read.ts";
import type { ActionKey } from "./runs.ts";

/** An action that changed something after another. */
export type LaterChange = Pick<
  LoggedAction,
  "called_at" | "request_id" | "door" | "token_id" | "client_name"
> &
  BeforeAndAfter;

/** The most later actions examined, so that a long log costs no more than a short one, and the most parsed. */
const mostLookedAt = 20_000;
const mostFound = 500;

/** The rows whose changes can explain a conflict. A reminder is a row of its own. */
export const rowsInTheWay = ({ row, fields, why }: UndoConflict): string[] =>
  row === null || !why.endsWith("_since")
    ? []
    : [row, ...(fields.includes("reminder") ? [row.replace("todos/", "reminders/")] : [])];

const { ref } = action;
const laterChanges = statement(
  { called_at: "timestamptz", request_id: "uuid", names: "text[]", except: "text" },
  (value) => {
    const later = actionsWhere()
      .selectAll("a")
      .where(sql<boolean>`(${oldestFirst}) > (${value("called_at")}, ${value("request_id")})`)
      .orderBy(oldestFirst)
      .limit(sql.lit(mostLookedAt));
    return selectFrom(later.as("a"))
      .select(["a.called_at", "a.request_id", "a.door", "a.token_id", "a.client_name", "a.before", "a.after"])
      .where(sql<boolean>`exists (select from unnest(${value("names")}) as name
        where position(name in concat(${ref("a.before")}, ${ref("a.after")})) > 0)`)
      .orderBy(sql`${ref("a.undone_by")} is not null or ${ref("a.tool")} = 'action.undo'
        or ${ref("a.token_id")} = ${value("except")}, ${oldestFirst}`)
      .limit(sql.lit(mostFound));
  },
);

/**
 * Reads later changes of any of the rows, oldest first. Undone ones come last, and those of a token whose actions are all
 * undone, because they rarely explain anything. None are found if the read takes too long.
 */
export async function readLaterChanges(
  { rows }: QueryContext,
  { called_at, request_id }: ActionKey,
  { rowNames, except = "-" }: Readonly<{ rowNames: readonly string[]; except?: string | undefined }>,
): Promise<readonly LaterChange[]> {
  const names = rowNames.map((name) => `"${name}":`);
  const found = rows(laterChanges({ called_at, request_id, names, except }));
  const changes = await found.catch((error) => {
    if (error instanceof DatabaseFailure) return [];
    throw error;
  });
  return mapGivingWay(changes, ({ before, after, ...change }) => ({
    ...change,
    called_at: timestamp(change.called_at),
    before: readImages(before).images,
    after: readImages(after).images,
  }));
}

/** The first change that explains a conflict: it touched one of the fields, or made or removed the row. */
export const causeOf = (conflict: UndoConflict, changes: readonly LaterChange[]): LaterChange | undefined =>
  changes.find(({ before, after }) =>
    rowsInTheWay(conflict).some((row) => {
      const [old, made] = [before[row], after[row]];
      if (!old || !made || row !== conflict.row) return old !== made;
      return conflict.fields.some((field) => !isSame(old[field], made[field]));
    }),
  );
