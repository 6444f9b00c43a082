import { Migration } from "@mikro-orm/migrations";

/** The bytes that each account keeps. Upkeep measures existing accounts, because they are due at once. */
export class ByteLedger extends Migration {
  override up(): void {
    this.addSql(`
      create table byte_ledger (
        user_id text not null,
        kind text not null,
        expires_at timestamptz not null,
        bytes bigint not null,
        primary key (user_id, kind, expires_at)
      )`);
    this.addSql(`create index byte_ledger_due on byte_ledger (expires_at) where expires_at < 'infinity'`);
    this.addSql(`
      insert into byte_ledger (user_id, kind, expires_at, bytes)
      select user_id, 'things', now(), 0 from (
        select user_id from users union select user_id from categories
        union select user_id from habits union select user_id from todos
      ) known`);
  }
}
