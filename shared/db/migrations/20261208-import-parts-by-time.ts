import { OnlineMigration } from "../online-migration.ts";

/** Upkeep finds the files that nobody said yes to, however many wait. */
export class ImportPartsByTime extends OnlineMigration {
  override up(): void {
    this.addIndex("import_parts_by_time", "import_parts (created_at)");
  }
}
