import { Migration } from "@mikro-orm/migrations";

/** The deliveries of reminders with their results, and each user's choice of channel. */
export class ReminderDeliveries extends Migration {
  override up(): void {
    this.addSql(`
      create table reminder_deliveries (
        user_id text not null,
        id uuid not null,
        todo_id bigint,
        channel text,
        status text not null,
        attempts int not null,
        late boolean not null,
        error text,
        scheduled_at timestamptz not null,
        next_attempt_at timestamptz not null,
        created_at timestamptz not null,
        finished_at timestamptz,
        primary key (user_id, id)
      ) with (fillfactor = 70)`);
    this.addSql(
      `create index reminder_deliveries_open on reminder_deliveries (next_attempt_at) where finished_at is null`,
    );
    this.addSql(`create index reminder_deliveries_created_at on reminder_deliveries using brin (created_at)`);
    this.addSql(`alter table reminders add delivery_id uuid`);
    this.addSql(`drop index reminders_due`);
    this.addSql(
      `create index reminders_due on reminders (remind_at) where status = 'scheduled' and delivery_id is null`,
    );
    this.addSql(`
      alter table users
        add reminder_channel text not null default 'log',
        add email text,
        add webhook_url text,
        add webhook_secret text,
        add webhook_failures int not null default 0,
        add webhook_failing_since timestamptz,
        add webhook_disabled_at timestamptz,
        add webhook_test_id uuid`);
  }
}
