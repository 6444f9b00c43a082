import { Migration } from "@mikro-orm/migrations";

/**
 * The built-in identity provider's own schema. A grant is what one app or one personal token may do; whatever
 * was issued under it hangs on it, so that revoking is one delete.
 */
export class Identity extends Migration {
  override up(): void {
    this.addSql(`create schema identity`);
    this.addSql(`
      create table identity.secrets (
        name text primary key,
        value jsonb not null,
        created_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table identity.accounts (
        id text primary key,
        email text not null unique,
        password_hash text not null,
        time_zone text,
        created_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table identity.clients (
        id text primary key,
        payload jsonb not null,
        created_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table identity.grants (
        id text primary key,
        account_id text not null references identity.accounts on delete cascade,
        client_id text not null,
        name text,
        payload jsonb not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        expires_at timestamptz not null
      )`);
    this.addSql(`create index grants_account on identity.grants (account_id, client_id)`);
    this.addSql(`
      create table identity.artifacts (
        kind text not null,
        id_hash bytea not null,
        payload json not null,
        account_id text references identity.accounts on delete cascade,
        grant_id text references identity.grants on delete cascade,
        uid text,
        consumed_at timestamptz,
        expires_at timestamptz not null,
        primary key (kind, id_hash)
      )`);
    this.addSql(`create index artifacts_account on identity.artifacts (account_id)`);
    this.addSql(`create index artifacts_grant on identity.artifacts (grant_id) where grant_id is not null`);
    this.addSql(`create index artifacts_uid on identity.artifacts (uid) where uid is not null`);
    this.addSql(`create index artifacts_expiry on identity.artifacts (expires_at)`);
    this.addSql(`
      create table identity.throttle (
        key varchar(255) primary key,
        points integer not null default 0,
        expire bigint
      )`);
  }
}
