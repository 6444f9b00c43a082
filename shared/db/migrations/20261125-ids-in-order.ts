import { Migration } from "@mikro-orm/migrations";

/**
 * Ids grow one by one, in the order of creation; they came in blocks of 100 for each worker. Where users exist they stay 100
 * apart, because workers of an earlier release go on taking blocks while this migration and later ones run. And the
 * accounts that were deleted, so that nothing is written for them any more.
 */
export class IdsInOrder extends Migration {
  override up(): void {
    for (const table of ["categories", "habits", "todos"]) {
      this.addSql(`
        do $$ begin
          if not exists (select from users) then alter sequence ${table}_id_seq increment by 1; end if;
        end $$`);
    }
    this.addSql(`
      create table if not exists deleted_users (
        id text primary key,
        deleted_at timestamptz not null,
        emptied_at timestamptz
      )`);
  }
}
