import { sql } from "kysely";
import {
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
} from "../../queries/context.ts";

/** What a page can be behind of, and the generation of sessions that may see it. */
export type UserState = Readonly<{
  /** Another one after each action in the user's name, and on another day of theirs. */
  version: string;
  generation: number;
}>;

type StateRow = DaySettingsColumns & { generation: number; newest: string | null };

/** @returns undefined when the account is deleted */
export async function readUserState(query: QueryContext, userId: string): Promise<UserState | undefined> {
  const { own, rows } = query;
  const found = await rows(sql<StateRow>`
    select coalesce((select u.session_generation from ${own("users")} u), 0) as generation,
      ${daySettingsColumns(query)}, (
        select extract(epoch from a.called_at)::text || a.request_id::text from ${own("action_log")} a
        order by a.called_at desc, a.request_id desc limit 1
      ) as newest
    where not exists (select from deleted_users where id = ${userId})`);
  const [row] = found;
  if (!row) return undefined;
  const { today } = daySettingsOf(found, query);
  const version = Bun.hash(`${today.date} ${row.newest ?? ""}`).toString(36);
  return { version, generation: row.generation };
}
