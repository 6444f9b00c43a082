import { OnlineMigration } from "../online-migration.ts";

/**
 * The settings list a person's coming reminders and past deliveries, and a failed one can be sent again, however long ago
 * its time was.
 */
export class Deliveries extends OnlineMigration {
  override up(): void {
    this.addSql(`alter table reminder_deliveries add if not exists asked_at timestamptz`);
    this.addIndex(
      "reminder_deliveries_of_user",
      "reminder_deliveries (user_id, created_at) where todo_id is not null",
    );
    this.addIndex("reminders_coming", "reminders (user_id, remind_at) where status = 'scheduled'");
  }
}
