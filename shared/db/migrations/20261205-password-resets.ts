import { Migration } from "@mikro-orm/migrations";

/** Mailed links with which a password is chosen anew. Each is only valid while the account has the address it went to. */
export class PasswordResets extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.password_resets (
        token_hash bytea primary key,
        account_id text not null references identity.accounts on delete cascade,
        email text not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`create index password_resets_account on identity.password_resets (account_id)`);
  }
}
