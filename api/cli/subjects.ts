import { type QueryExecutorProvider, sql } from "kysely";

const maxSubjects = 50;

/** The users whose calls are in the log: the only read across users, for the owner of the instance. */
export async function listSubjects(db: QueryExecutorProvider): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    with recursive seen as (
      (select user_id from action_log order by user_id limit 1)
      union all
      select next.user_id from seen, lateral (
        select user_id from action_log where user_id > seen.user_id order by user_id limit 1
      ) next
    )
    select user_id from seen limit ${maxSubjects}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}
