import { OnlineMigration } from "../online-migration.ts";

/** This index finds a thing's deletion by id, even among many others of its user. */
export class DeletionsById extends OnlineMigration {
  override up(): void {
    this.addIndex("deletions_by_id", "deletions (user_id, kind, id)");
  }
}
