import { Migration } from "@mikro-orm/migrations";

/**
 * The settings list a person's coming reminders and past deliveries, and a failed one can be sent again, however long ago
 * its time was.
 */
export class Deliveries extends Migration {
  override up(): void {
    this.addSql(`alter table reminder_deliveries add asked_at timestamptz`);
    this.addSql(
      `create index reminder_deliveries_of_user on reminder_deliveries (user_id, created_at) where todo_id is not null`,
    );
    this.addSql(`create index reminders_coming on reminders (user_id, remind_at) where status = 'scheduled'`);
  }
}
