import { OnlineMigration } from "../online-migration.ts";

/** Messages write dates and times as the browser of the last sign-in does; null for people who have not signed in since. */
export class Locale extends OnlineMigration {
  override up(): void {
    this.addSql("alter table users add if not exists locale text");
  }
}
