import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { tokenHash } from "../action/filters.ts";
import { readTokens } from "../action/read.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

type CallingTokens = OutputOf<Queries["action.tokens"]>["tokens"];

const mostNew = 20;

/** The tokens whose first call in the action log came since a time (RFC 3339), the last used first. */
export async function readNewTokens(query: QueryContext, since: string): Promise<CallingTokens> {
  const { tokens } = await readTokens(query, {});
  const recent = tokens.filter(({ token_id, last_called_at }) => token_id !== "" && last_called_at >= since);
  if (recent.length === 0) return [];
  const ids = recent.slice(0, mostNew).map(({ token_id }) => token_id);
  const found = await query.rows(sql<{ token_id: string }>`
    select recent.token_id from unnest(${ids}::text[]) as recent (token_id)
    where not exists (
      select from ${query.own("action_log")} a
      where ${tokenHash} = hashtextextended(recent.token_id, 0) and a.token_id = recent.token_id
        and a.called_at < ${since}::timestamptz
    )`);
  const fresh = new Set(found.map(({ token_id }) => token_id));
  return recent.filter(({ token_id }) => fresh.has(token_id));
}
