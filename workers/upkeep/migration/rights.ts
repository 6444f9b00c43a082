import type { DatabaseRole } from "../../../shared/process/database-roles.ts";

/** The rights of a database role. `not` takes away again what `may` gives to all tables. */
export type Rights = Readonly<{ may: readonly string[]; not?: readonly string[] }>;

/**
 * The rights of each process in the database: the only list of them. Migrations run as the owner of the tables, who
 * gives exactly these after each. Only the identity provider reads passwords and keys.
 */
export const rights: Readonly<Record<DatabaseRole, Rights>> = {
  door: {
    may: [
      "usage on schema public",
      "select on all tables in schema public",
      "execute on function change_marks(), feed_owner(text)",
    ],
  },
  worker: {
    may: [
      "usage on schema public",
      "select, insert, update, delete on all tables in schema public",
      "usage on all sequences in schema public",
      "execute on all functions in schema public",
    ],
    not: [
      "insert, update, delete on mikro_orm_migrations, shared_secrets",
      // Events are only added, within bounds, and dropped after 400 days.
      "insert, update, delete on journal, journal_counts",
    ],
  },
  identity: {
    may: [
      "usage on schema public, identity",
      "select, insert, update, delete on all tables in schema identity",
      "usage on all sequences in schema identity",
      // Replies to the commands that it sends, and the zone and language of its mails.
      "select on shared_secrets, mikro_orm_migrations, inbox",
      "select (user_id, request_id, called_at, outcome, resource_id, replayed) on action_log",
      "select (user_id, time_zone, zone_source, day_start_hour, locale) on users",
      "execute on function journal_append(text, text, jsonb, bigint, text, text, bigint)",
    ],
  },
};
