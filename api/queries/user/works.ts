import type { WorkRow } from "../../../shared/db/entities.ts";
import { isRequestId as isUuid } from "../action/filters.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

export type OpenWork = Pick<WorkRow, "name" | "done" | "total">;

/** Unfinished long work of a user, in the order in which it will be done. */
export const readOpenWorks = ({ own, rows }: QueryContext): Promise<OpenWork[]> =>
  rows(sql<OpenWork>`
    select w.name, w.done, w.total from ${own("works")} w
    where w.ended_at is null order by w.created_at, w.id`);

/** True while a command's long work goes on; work that ended with its first step was never stored. */
export async function isUnderWay({ own, rows }: QueryContext, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const found = await rows(
    sql`select 1 from ${own("works")} w where w.id = ${id}::uuid and w.ended_at is null`,
  );
  return found.length > 0;
}
