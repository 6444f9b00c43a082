import { Migration } from "@mikro-orm/migrations";

/**
 * Ids grow one by one, in the order of creation; they came in blocks of 100 for each worker. And the accounts that
 * were deleted, so that nothing is written for them any more.
 */
export class IdsInOrder extends Migration {
  override up(): void {
    for (const table of ["categories", "habits", "todos"]) {
      this.addSql(`alter sequence ${table}_id_seq increment by 1`);
      // The last block that was taken may have been used to its end.
      this.addSql(`select setval('${table}_id_seq', last_value + 100) from ${table}_id_seq where is_called`);
    }
    this.addSql(`
      create table if not exists deleted_users (
        id text primary key,
        deleted_at timestamptz not null,
        emptied_at timestamptz
      )`);
  }
}
