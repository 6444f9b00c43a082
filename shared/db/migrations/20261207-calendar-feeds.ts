import { Migration } from "@mikro-orm/migrations";

/** The secret address of each person's calendar feed, as a hash, by which the user is looked up. */
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
