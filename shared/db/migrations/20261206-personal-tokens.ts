import { Migration } from "@mikro-orm/migrations";

/**
 * The last characters of a personal token, by which its person tells it from others, and when its person was told that
 * it is about to end.
 */
export class PersonalTokens extends Migration {
  override up(): void {
    this.addSql(`
      alter table identity.grants
        add last_four text,
        add end_told_at timestamptz`);
    this.addSql(`
      create index grants_ending on identity.grants (expires_at)
      where client_id = 'personal-access-tokens' and end_told_at is null`);
  }
}
