import { OnlineMigration } from "../online-migration.ts";

/** A person chooses a digest of what agents changed. A tick finds those that are due, and the end of the one before. */
export class Digest extends OnlineMigration {
  override up(): void {
    this.addSql(`
      alter table users
        add if not exists digest text not null default 'never',
        add if not exists digest_at timestamptz`);
    this.addIndex("users_digest_due", "users (digest_at) where digest_at is not null");
    this.addIndex(
      "reminder_deliveries_of_digests",
      "reminder_deliveries (user_id, scheduled_at) where about = 'digest'",
    );
  }
}
