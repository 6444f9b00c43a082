import { OnlineMigration } from "../online-migration.ts";
import { showOwnRows } from "../statements/row-users.ts";

const tables = `
  action_images action_log approvals byte_ledger calendar_feeds categories deletions habit_amounts habit_completions habits
  import_keys import_parts inbox journal journal_counts push_subscriptions reminder_deliveries reminders todos
  token_rules users webhook_deliveries webhooks works`;

/**
 * Row-level security: a front door's statement sees the rows of the users that it names (`shared/db/statements/row-users.ts`),
 * whatever its conditions. Other processes see all.
 */
export class RowSecurity extends OnlineMigration {
  override up(): void {
    this.addSql(seesAll);
    this.addSql(feedOwner);
    for (const policy of policies) this.addSql(policy);
    // PostgreSQL uses no index on a hash for rows that a policy hides, because the hash function could reveal them.
    this.addPartitionedIndex("action_log", "by_token_id", "(user_id, token_id, called_at desc)");
    this.addSql("drop index if exists action_log_by_token");
  }
}

/**
 * True for workers and the identity provider. "Immutable" lets the planner fold it, so that their plans are those of tables
 * without policies. It does not change within a plan's life, because PostgreSQL plans again for another role.
 */
const seesAll = `
  create or replace function sees_all() returns boolean language sql immutable as $$
    select has_table_privilege('public.todos', 'insert') or has_schema_privilege('identity', 'usage')
  $$`;

/** Tables that somebody makes anew, as with partitions by user, need them again. */
export const policies = [
  ...tables
    .trim()
    .split(/\s+/)
    .map((table) => showOwnRows(table)),
  showOwnRows("deleted_users", "id"),
];

/** The one read before a user is known. */
const feedOwner = `
  create or replace function feed_owner(hash text) returns text language sql stable
  security definer set search_path = public, pg_temp as $$
    select user_id from calendar_feeds where secret_hash = hash
  $$`;
