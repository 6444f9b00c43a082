import { Migration } from "@mikro-orm/migrations";

/** What deletes, brings back or forgets a thing finds the note of its deletion, however many others its user has. */
export class DeletionsById extends Migration {
  override up(): void {
    this.addSql(`create index deletions_by_id on deletions (user_id, kind, id)`);
  }
}
