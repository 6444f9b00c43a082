import type { View } from "../table.ts";

export type RuledToken = Readonly<{
  user_id: string;
  token_id: string;
  /** The name of the category to which the token is limited; null for none, or one that is deleted. */
  category: string | null;
  /** The number of the user's requests that wait for approval. */
  waiting: number;
}>;

/** The circumstances of a token with rules. */
export const ruledToken = {
  as: "ruledTokens",
  key: ["user_id", "token_id"],
  read: `
    select v.user_id, v.token_id,
      (select c.name from token_rules r join categories c on c.user_id = r.user_id and c.id = r.category_id
       where r.user_id = v.user_id and r.token_id = v.token_id) as category,
      (select count(*) from approvals a
       where a.user_id = v.user_id and a.state = 'waiting' and a.expires_at > now())::int as waiting
    from unnest($1::text[], $2::text[]) v(user_id, token_id)`,
} as const satisfies View;
