import { literal, sql } from "../../../shared/db/reads/sql.ts";
import {
  type Condition,
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
} from "../../queries/engine/context.ts";

/** The events that a page follows: all actions in the user's name, or only those that may have changed something. */
export type Followed = "actions" | "changes";

/** The present versions for a user's pages, and the generation of sessions that may see them. */
export type UserState = Readonly<{
  /** These differ after each action or change, and on another day of the user. */
  versions: Readonly<Record<Followed, string>>;
  generation: number;
}>;

type StateRow = DaySettingsColumns & { generation: number; action: string | null; change: string | null };

/** Reads of agents have no index of their own, so a change before more reads than this is missed. */
const mostLookedAt = 200;

/** @returns undefined when the account is deleted */
export async function readUserState(query: QueryContext, userId: string): Promise<UserState | undefined> {
  const { own, rows } = query;
  const found = await rows(sql<StateRow>`
    select coalesce((select u.session_generation from ${own("users")} u), 0) as generation,
      ${daySettingsColumns}, (${newest(query, sql`true`)}) as action, (${newest(query, isChange)}) as change
    where not exists (select from deleted_users where id = ${userId})`);
  const [row] = found;
  if (!row) return undefined;
  const { today } = daySettingsOf(found, query);
  const version = (key: string | null) => Bun.hash(`${today.date} ${key ?? ""}`).toString(36);
  return {
    versions: { actions: version(row.action), changes: version(row.change) },
    generation: row.generation,
  };
}

/** Actions on pages may change things without an image, as an import does. */
const isChange: Condition = sql`a.before is not null or a.after is not null or a.door = 'page'`;

const newest = ({ own }: QueryContext, condition: Condition) => sql`
  select extract(epoch from latest.called_at)::text || latest.request_id::text from (
    select a.called_at, a.request_id, ${condition} as counts from ${own("action_log")} a
    order by a.called_at desc, a.request_id desc limit ${literal(mostLookedAt)}
  ) latest where latest.counts order by latest.called_at desc, latest.request_id desc limit 1`;
