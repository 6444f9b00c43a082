import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { actionConditions } from "./filters.ts";
import { longestPauseMs } from "./runs.ts";

/** Every page shows this number, so it looks at few actions. */
const mostLookedAt = 1_000;

/** Counts the runs of agents and scripts that changed something, or tried to, after the action of that time. */
export async function countUnseenRuns({ own, rows }: QueryContext, after: string): Promise<number> {
  const [found] = await rows(sql<{ runs: number }>`
    select count(*) filter (where pause is null or pause > ${literal(longestPauseMs)} * interval '1 millisecond')::int as runs
    from (
      select a.called_at - lag(a.called_at) over (partition by a.token_id order by a.called_at) as pause
      from (
        select l.called_at, l.token_id, l.door, l.tool, l.outcome from ${own("action_log")} l
        where l.called_at > ${after}::timestamptz
        order by l.called_at desc, l.request_id desc limit ${literal(mostLookedAt)}
      ) a
      where ${allOf(sql`a.door <> 'page'`, ...actionConditions({ kinds: ["change", "refusal"] }))}
    ) unseen`);
  return found?.runs ?? 0;
}
