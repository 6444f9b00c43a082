import type { Database } from "../../../shared/db/orm.ts";

/** Without any browser, reminders to browsers reach nobody, as when a person removes the last one. */
const removeBrowsers = `
  with gone as (
    delete from push_subscriptions where user_id = $1 and id = any($2::uuid[])
  )
  update users set reminder_channel = 'log', updated_at = now()
  where user_id = $1 and reminder_channel = 'push' and not exists (
    select from push_subscriptions where user_id = $1 and id <> all($2::uuid[]))`;

/** Removes browsers whose push service knows them no more: their person withdrew the permission or left them. */
export async function forgetBrowsers(
  { pool }: Pick<Database, "pool">,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  await pool.query(removeBrowsers, [userId, ids]);
}
