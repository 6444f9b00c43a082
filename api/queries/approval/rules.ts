import type { TokenRuleRow } from "../../../shared/db/entities.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { namesOf } from "../action/things.ts";
import type { QueryContext } from "../engine/context.ts";

/** The rules of a user's tokens, and what is left of the user's day. */
export async function readRules(query: QueryContext, today: string) {
  const found = await query.rows(sql<TokenRuleRow>`select r.* from ${query.own("token_rules")} r`);
  const categories = found.flatMap(({ category_id }) =>
    category_id == null ? [] : [`categories/${category_id}`],
  );
  const names = categories.length > 0 ? await namesOf(query, categories) : new Map();
  return found.map((row) => {
    const isToday = row.used_on != null && row.used_on >= today;
    const left = (most: number | null | undefined, used: number): number | null =>
      most == null ? null : Math.max(0, most - (isToday ? used : 0));
    const { category_id: id } = row;
    return {
      token_id: row.token_id,
      asks_deletions: row.asks_deletions,
      ask_above: row.ask_above ?? null,
      changes_per_day: row.changes_per_day ?? null,
      changes_left: left(row.changes_per_day, row.changes_used),
      deletions_per_day: row.deletions_per_day ?? null,
      deletions_left: left(row.deletions_per_day, row.deletions_used),
      category: id == null ? null : { id, name: names.get(`categories/${id}`) ?? null },
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
