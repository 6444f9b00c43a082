import { Migration } from "@mikro-orm/migrations";

/** Upkeep finds the files that nobody said yes to, however many wait. */
export class ImportPartsByTime extends Migration {
  override up(): void {
    this.addSql(`create index import_parts_by_time on import_parts (created_at)`);
  }
}
