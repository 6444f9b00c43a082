import type { Pool } from "pg";
import { sql } from "../../shared/db/reads/sql.ts";
import { findAccountByEmail, normalizeEmail } from "../identity/accounts/accounts.ts";
import type { QueryDatabase } from "../queries/engine/context.ts";

const maxSubjects = 50;

/** The user with this e-mail address at the built-in provider; other text is a user's id. */
export async function findSubject(pool: Pool, text: string): Promise<string> {
  const email = normalizeEmail(text);
  const account = email === undefined ? undefined : await findAccountByEmail(pool, email);
  return account?.id ?? text;
}

/**
 * The users with calls in the log: the only read across users, for the owner of the instance. It skips from user to
 * user along the index.
 */
export async function listSubjects({ run }: QueryDatabase): Promise<string[]> {
  const statement = sql`
    with recursive seen as (
      (select user_id from action_log order by user_id limit 1)
      union all
      select next.user_id from seen, lateral (
        select user_id from action_log where user_id > seen.user_id order by user_id limit 1
      ) next
    )
    select seen.user_id, account.email from seen
    left join identity.accounts account on account.id = seen.user_id
    order by seen.user_id limit ${maxSubjects}`;
  const rows = await run<{ user_id: string; email: string | null }>("", statement);
  return rows.map(({ user_id, email }) => (email === null ? user_id : `${user_id}  ${email}`));
}
