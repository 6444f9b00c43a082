import { Migration } from "@mikro-orm/migrations";

/** The browser of each session of the built-in provider, by the session's uid, which stays when its id changes. */
export class SessionBrowsers extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.session_browsers (
        session_uid text primary key,
        account_id text not null references identity.accounts on delete cascade,
        user_agent text not null
      )`);
    this.addSql(`create index session_browsers_account on identity.session_browsers (account_id)`);
  }
}
