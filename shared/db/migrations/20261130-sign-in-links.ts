import { Migration } from "@mikro-orm/migrations";

/**
 * One-time links that sign the owner in, each only valid at the address of the provider it was made for. And which
 * account is the owner's: on an older database the one from before the first start was complete, if it is still there.
 */
export class SignInLinks extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.sign_in_links (
        account_id text primary key references identity.accounts on delete cascade,
        token_hash bytea not null unique,
        address text not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`
      update identity.secrets s set value = to_jsonb(a.id)
      from (select id, created_at from identity.accounts order by created_at limit 1) a
      where s.name = 'owner' and a.created_at <= s.created_at`);
  }
}
