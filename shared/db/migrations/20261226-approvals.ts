import { Migration } from "@mikro-orm/migrations";

/** Rules of tokens, their requests that wait for approval, and messages about these by the channels of reminders. */
export class Approvals extends Migration {
  override up(): void {
    this.addSql(`
      create table token_rules (
        user_id text not null,
        token_id text not null,
        asks_deletions boolean not null,
        ask_above integer,
        changes_per_day integer,
        deletions_per_day integer,
        category_id bigint,
        used_on date,
        changes_used integer not null,
        deletions_used integer not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, token_id)
      )`);
    this.addSql(`
      create table approvals (
        user_id text not null,
        id uuid not null,
        token_id text not null,
        client_name text,
        state text not null,
        request text not null,
        before text not null,
        after text not null,
        rests_on text not null,
        outcome text,
        expires_at timestamptz not null,
        decided_at timestamptz,
        created_at timestamptz not null,
        primary key (user_id, id)
      )`);
    this.addSql(`create index approvals_waiting on approvals (user_id, created_at) where state = 'waiting'`);
    this.addSql(`create index approvals_old on approvals (created_at)`);
    this.addSql(`alter table reminder_deliveries add about text`);
  }
}
