import { Migration } from "@mikro-orm/migrations";

/** Reminders to browsers, to ntfy and by Telegram, and the acts by which people answered a delivery. */
export class Channels extends Migration {
  override up(): void {
    this.addSql(`
      create table push_subscriptions (
        user_id text not null,
        id uuid not null,
        endpoint text not null,
        p256dh text not null,
        auth text not null,
        browser text not null,
        created_at timestamptz not null,
        primary key (user_id, id)
      )`);
    this.addSql(`
      alter table users
        add ntfy_url text,
        add ntfy_token text,
        add telegram_bot_token text,
        add telegram_chat_id text`);
    this.addSql(`alter table reminder_deliveries add used_acts text not null default ''`);
  }
}
