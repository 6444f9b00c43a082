import { OnlineMigration } from "../online-migration.ts";
import { showOwnRows } from "../statements/row-users.ts";

const tables = `
  action_images action_log approvals byte_ledger calendar_feeds categories deletions habit_amounts habit_completions habits
  import_keys import_parts inbox journal journal_counts journal_heads push_subscriptions reminder_deliveries reminders todos
  token_rules users webhook_deliveries webhooks works`;

/**
 * Row-level security: a statement sees the rows of the users that it names (`shared/db/statements/row-users.ts`), whatever its
 * conditions. The owner of the tables sees all.
 */
export class RowSecurity extends OnlineMigration {
  override up(): void {
    this.addSql(worksForAll);
    this.addSql(feedOwner);
    for (const policy of policies) this.addSql(policy);
    // PostgreSQL uses no index on a hash for rows that a policy hides, because the hash function could reveal them.
    this.addPartitionedIndex("action_log", "by_token_id", "(user_id, token_id, called_at desc)");
    this.addSql("drop index if exists action_log_by_token");
  }
}

/** True for a worker that names nobody: reminders, webhooks and upkeep look through the tables. Only workers write. */
const worksForAll = `
  create or replace function works_for_all() returns boolean language sql stable as $$
    select coalesce(current_setting('kept.users', true), '') = '' and has_table_privilege('todos', 'insert')
  $$`;

/** The identity provider may read the few columns of users that its mails need. */
const showProvider = `
  do $$ begin
    drop policy if exists mails on users;
    create policy mails on users for select using ((select has_schema_privilege('identity', 'usage')));
  end $$`;

/** Tables that somebody makes anew, as with partitions by user, need them again. */
export const policies = [
  ...tables
    .trim()
    .split(/\s+/)
    .map((table) => showOwnRows(table)),
  showOwnRows("deleted_users", "id"),
  showProvider,
];

/** The one read before a user is known. */
const feedOwner = `
  create or replace function feed_owner(hash text) returns text language sql stable
  security definer set search_path = public, pg_temp as $$
    select user_id from calendar_feeds where secret_hash = hash
  $$`;
