import { sql } from "kysely";
import { type Found, own, selectFrom, statement, statements } from "../../../shared/db/reads/statement.ts";
import type { QueryContext } from "../engine/context.ts";

const events = selectFrom(own("journal").as("j")).select(["j.number", "j.at", "j.kind", "j.details"]);

const eventsBefore = statements({ before: "bigint" }, (value, limit: number) =>
  events.where("j.number", "<", value("before")).orderBy("j.number", "desc").limit(sql.lit(limit)),
);

export type ListedEvent = Found<typeof eventsBefore>;

/** Reads events before a number, newest first. */
export const readEventsBefore = ({ rows }: QueryContext, before: number, limit: number) =>
  rows(eventsBefore(limit, { before }));

const mostExports = 10;
const newestExports = statement({}, () =>
  events.where("j.kind", "=", sql.lit("exported")).orderBy("j.number", "desc").limit(sql.lit(mostExports)),
);

export const readExports = ({ rows }: QueryContext) => rows(newestExports({}));

const rowsAtOnce = 1_000;
const eventsAfter = statement({ last: "bigint" }, (value) =>
  events.where("j.number", ">", value("last")).orderBy("j.number").limit(sql.lit(rowsAtOnce)),
);

export async function* allEvents({ rows }: QueryContext): AsyncGenerator<readonly ListedEvent[]> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const found: ListedEvent[] = await rows(eventsAfter({ last }));
    if (found.length > 0) yield found;
    last = found.length < rowsAtOnce ? undefined : found.at(-1)?.number;
  }
}
