import type { TokenRuleRow } from "../../../shared/db/entities.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

type StoredRules = TokenRuleRow & { category: string | null };

/** The rules of a user's tokens, and what is left of the user's day. */
export async function readRules({ own, rows }: Pick<QueryContext, "own" | "rows">, today: string) {
  const found = await rows(sql<StoredRules>`
    select r.*, c.name as category from ${own("token_rules")} r left join ${own("categories")} c on c.id = r.category_id`);
  return found.map((row) => {
    const isToday = row.used_on != null && row.used_on >= today;
    const left = (most: number | null | undefined, used: number): number | null =>
      most == null ? null : Math.max(0, most - (isToday ? used : 0));
    return {
      token_id: row.token_id,
      asks_deletions: row.asks_deletions,
      ask_above: row.ask_above ?? null,
      changes_per_day: row.changes_per_day ?? null,
      changes_left: left(row.changes_per_day, row.changes_used),
      deletions_per_day: row.deletions_per_day ?? null,
      deletions_left: left(row.deletions_per_day, row.deletions_used),
      category: row.category_id == null ? null : { id: row.category_id, name: row.category },
    };
  });
}

/** The rules of the calling token; null without any. */
export async function readOwnRules(query: QueryContext, today: string) {
  const all = await readRules(query, today);
  const own = all.find(({ token_id }) => token_id === query.token.tokenId);
  if (!own) return null;
  const { token_id: _, ...rules } = own;
  return rules;
}
