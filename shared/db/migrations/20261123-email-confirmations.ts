import { Migration } from "@mikro-orm/migrations";

/** The confirmed addresses of the built-in provider's accounts, and the links that prove them. */
export class EmailConfirmations extends Migration {
  override up(): void {
    this.addSql(`alter table identity.accounts add email_verified_at timestamptz`);
    this.addSql(`
      create table identity.email_confirmations (
        token_hash bytea primary key,
        account_id text not null references identity.accounts on delete cascade,
        email text not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`create index email_confirmations_account on identity.email_confirmations (account_id)`);
  }
}
