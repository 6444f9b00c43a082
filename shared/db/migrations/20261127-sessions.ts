import { Migration } from "@mikro-orm/migrations";

/**
 * The end of sessions of the account pages, which store none: each one carries the generation it was made in. And
 * the identity provider's outbox: what the service must hear of an account, kept until it has heard it.
 */
export class Sessions extends Migration {
  override up(): void {
    this.addSql(`alter table users add session_generation integer not null default 0`);
    this.addSql(`
      create table identity.outbox (
        id bigint generated always as identity primary key,
        user_id text not null,
        name text not null,
        input jsonb not null,
        created_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table identity.sign_ups (
        token_hash bytea primary key,
        email text not null,
        password_hash text not null,
        time_zone text not null,
        next text not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`create index sign_ups_email on identity.sign_ups (email)`);
  }
}
