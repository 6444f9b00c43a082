import type { WorkRow } from "../../../shared/db/entities.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { isRequestId as isUuid } from "../action/read.ts";
import type { QueryContext } from "../engine/context.ts";

export type OpenWork = Pick<WorkRow, "name" | "done" | "total">;
type FoundWork = OpenWork & Pick<WorkRow, "ended_at" | "outcome">;

/** Unfinished long work of a user, in the order in which it will be done. */
export const readOpenWorks = ({ own, rows }: QueryContext): Promise<OpenWork[]> =>
  rows(sql<OpenWork>`
    select w.name, w.done, w.total from ${own("works")} w
    where w.ended_at is null order by w.created_at, w.id`);

/** @returns a command's long work, also for a day after its end; null if there is none */
export async function readWork({ own, rows }: QueryContext, id: string): Promise<FoundWork | null> {
  if (!isUuid(id)) return null;
  const [found] = await rows(sql<FoundWork>`
    select w.name, w.done, w.total, w.ended_at, w.outcome from ${own("works")} w where w.id = ${id}::uuid`);
  return found ?? null;
}

/** True while a command's long work goes on; work that ended with its first step was never stored. */
export async function isUnderWay(query: QueryContext, id: string): Promise<boolean> {
  return (await readWork(query, id))?.ended_at === null;
}
