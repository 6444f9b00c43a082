import { Migration } from "@mikro-orm/migrations";

/** This index finds a thing's deletion by id, even among many others of its user. */
export class DeletionsById extends Migration {
  override up(): void {
    this.addSql(`create index deletions_by_id on deletions (user_id, kind, id)`);
  }
}
