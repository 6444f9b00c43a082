import type { EventName } from "../../shared/domain/journal/events.ts";
import type { Effect } from "./table.ts";

/** A row that the account journal gets in this transaction, if its kind has room for more. */
export type JournalEntry = Readonly<{
  user_id: string;
  /** The command, and the place among its events. */
  id: string;
  kind: EventName;
  details: object;
  most: number;
  period: string;
  subject: string;
  times: number;
}> & {
  /** True for a thing that is news once a year, and was told this year. */
  isOld?: boolean;
};

/** Users are in order, so that two transactions never wait for each other in a circle. */
export const writeJournal: Effect<JournalEntry> = {
  key: ["user_id", "id"],
  statement: `
    select e.id, journal_append(e.user_id, e.kind, e.details, e.most, e.period, e.subject, e.times) as is_new
    from (
      select * from json_to_recordset($1) e(user_id text, id text, kind text, details jsonb, most bigint, period text,
        subject text, times bigint)
      order by user_id, id offset 0
    ) e`,
  written(entries, answers) {
    const isNew = new Map(answers.map(({ id, is_new }) => [id, is_new]));
    for (const entry of entries) entry.isOld = entry.period === "year" && !isNew.get(entry.id);
  },
};
