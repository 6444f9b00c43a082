import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { inJournal, type Journaled } from "../journal/record.ts";

export type ConnectionKey = Readonly<{ accountId: string; id: string }>;

/**
 * Renames a connection and removes scopes that are not in `scopes`. A check of a token reads its grant, so the tokens
 * lose them too. The statement intersects with the present scopes: a form from an old page cannot widen them again.
 * @returns false when the account has no connection with this id
 */
export async function changeConnection(
  journaled: Journaled,
  { accountId, id }: ConnectionKey,
  { name, scopes }: Readonly<{ name: string; scopes: readonly Scope[] }>,
): Promise<boolean> {
  return inJournal(journaled, accountId, async (client, record) => {
    const { rowCount } = await client.query(
      `update identity.grants g
     set name = $3,
       payload = jsonb_set(g.payload, '{resources}', (
         select coalesce(jsonb_object_agg(allowed.key, (
           select coalesce(string_agg(word, ' '), '')
           from regexp_split_to_table(allowed.value, ' ') word where word = any($4::text[])
         )), '{}')
         from jsonb_each_text(g.payload->'resources') allowed
       ))
     where g.account_id = $1 and g.id = $2 and g.expires_at > now()`,
      [accountId, id, name, scopes],
    );
    if (rowCount === 1) await record("token_changed", { name, scopes: scopes.join(", ") });
    return rowCount === 1;
  });
}
