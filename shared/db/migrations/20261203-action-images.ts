import { Migration } from "@mikro-orm/migrations";

/**
 * The log of actions knows what happened: what an action changed, with what it was before and after, through which door.
 * Text that is too long for its row lies in `action_images` for as long as it can be taken back, as does what hung on a
 * deleted thing in `deletions`.
 */
export class ActionImages extends Migration {
  override up(): void {
    this.addSql(`
      alter table action_log
        add door text not null default 'mcp',
        add resource_kind text,
        add resource_id bigint,
        add resource_name text,
        add before text,
        add after text,
        add message text,
        add undone_by uuid`);
    this.addSql(`
      create table action_images (
        user_id text not null,
        called_at timestamptz not null,
        request_id uuid not null,
        before text not null,
        after text not null,
        primary key (user_id, called_at, request_id)
      ) partition by range (called_at)`);
    this.addSql(
      `select make_partitions('action_images', 'all', '1 day', now() - interval '1 day', now() + interval '2 days')`,
    );
    this.addSql(`
      alter table deletions
        add completed_dates date[],
        add completed_times timestamptz[],
        add habit_ids bigint[],
        add todo_ids bigint[]`);
  }
}
