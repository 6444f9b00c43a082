import { Migration } from "@mikro-orm/migrations";

/**
 * The secret address of each person's calendar feed, as a hash. Whoever comes with an address is not known before it is
 * looked up, so this table is no part of what is spread by user on Citus.
 */
export class CalendarFeeds extends Migration {
  override up(): void {
    this.addSql(`
      create table calendar_feeds (
        user_id text primary key,
        secret_hash text not null unique,
        created_at timestamptz not null
      )`);
  }
}
