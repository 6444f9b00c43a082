import { Migration } from "@mikro-orm/migrations";

/**
 * Webhooks for changes, and what they still have to post. `cursor` and `begun_xid` belong to the feed alone: a new
 * webhook begins with the transaction that made it.
 */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table webhooks (
        user_id text not null,
        id uuid not null,
        url text not null,
        secret text not null,
        events text[] not null,
        is_active boolean not null,
        failing_since timestamptz,
        disabled_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        begun_xid xid8 not null default pg_current_xact_id(),
        cursor text,
        primary key (user_id, id)
      )`);
    this.addSql(`create index webhooks_active on webhooks (user_id, id) where is_active`);
    this.addSql(`
      create table webhook_deliveries (
        user_id text not null,
        id uuid not null,
        webhook_id uuid not null,
        subject text not null,
        thing_id bigint not null,
        status text not null,
        attempts integer not null,
        error text,
        next_attempt_at timestamptz not null,
        created_at timestamptz not null,
        finished_at timestamptz,
        primary key (user_id, id)
      )`);
    this.addSql(
      `create index webhook_deliveries_due on webhook_deliveries (user_id, webhook_id, next_attempt_at) where finished_at is null`,
    );
    this.addSql(
      `create index webhook_deliveries_of_things on webhook_deliveries (user_id, webhook_id, subject, thing_id) where finished_at is null`,
    );
    this.addSql(`create index webhook_deliveries_old on webhook_deliveries (finished_at)`);
    this.addSql(
      `create index webhook_deliveries_listed on webhook_deliveries (user_id, webhook_id, created_at)`,
    );
  }
}
