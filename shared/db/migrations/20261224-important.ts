import { OnlineMigration } from "../online-migration.ts";

/** A todo can be marked as important. No list asks an index for the mark, because lists keep the order of due dates. */
export class Important extends OnlineMigration {
  override up(): void {
    this.addSql("alter table todos add if not exists is_important boolean not null default false");
  }
}
