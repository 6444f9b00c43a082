import { Migration } from "@mikro-orm/migrations";

/** The passkeys with which people sign in to the built-in provider (Web Authentication); only public keys. */
export class Passkeys extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.passkeys (
        credential_id text primary key,
        account_id text not null references identity.accounts on delete cascade,
        public_key bytea not null,
        counter bigint not null,
        name text not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz
      )`);
    this.addSql(`create index passkeys_account on identity.passkeys (account_id)`);
  }
}
