import type { JournalRow } from "../../../shared/db/entities.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import type { QueryContext } from "../engine/context.ts";

export type ListedEvent = Pick<JournalRow, "number" | "at" | "kind" | "details">;

const columns = sql`j.number, j.at, j.kind, j.details`;

/** Reads events before a number, newest first. */
export const readEventsBefore = ({ own, rows }: QueryContext, before: number, limit: number) =>
  rows(sql<ListedEvent>`
    select ${columns} from ${own("journal")} j where j.number < ${before}::bigint
    order by j.number desc limit ${literal(limit)}`);

const mostExports = 10;

/** The downloads of the person's files, newest first. */
export const readExports = ({ own, rows }: QueryContext) =>
  rows(sql<ListedEvent>`
    select ${columns} from ${own("journal")} j where j.kind = 'exported'
    order by j.number desc limit ${literal(mostExports)}`);

const rowsAtOnce = 1_000;

/** Reads all events, oldest first. */
export async function* allEvents({ own, rows }: QueryContext): AsyncGenerator<readonly ListedEvent[]> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const found: ListedEvent[] = await rows(sql<ListedEvent>`
      select ${columns} from ${own("journal")} j where j.number > ${last}::bigint
      order by j.number limit ${literal(rowsAtOnce)}`);
    if (found.length > 0) yield found;
    last = found.length < rowsAtOnce ? undefined : found.at(-1)?.number;
  }
}
