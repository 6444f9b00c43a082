import { Migration } from "@mikro-orm/migrations";

/** A session counts only while it has a row in session_browsers, so those that are older than the table get one. */
export class EarlierSessions extends Migration {
  override up(): void {
    this.addSql(`
      insert into identity.session_browsers (session_uid, account_id, user_agent)
      select distinct on (uid) uid, account_id, ''
      from identity.artifacts
      where kind = 'Session' and account_id is not null and uid is not null and expires_at > now()
      on conflict do nothing`);
  }
}
