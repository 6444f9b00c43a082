import { OnlineMigration } from "../online-migration.ts";

/** A habit has a time at which it reminds, its next instant, and the day and delivery of the last one. */
export class HabitReminders extends OnlineMigration {
  override up(): void {
    this.addSql(`
      alter table habits
        add if not exists remind_at text,
        add if not exists rings_at timestamptz,
        add if not exists rang_on date,
        add if not exists delivery_id uuid`);
    this.addIndex("habits_ringing", "habits (rings_at) where rings_at is not null");
    this.addSql(`alter table reminder_deliveries add if not exists habit_id bigint`);
    this.addIndex(
      "reminder_deliveries_of_habits",
      "reminder_deliveries (user_id, created_at) where habit_id is not null",
    );
  }
}
