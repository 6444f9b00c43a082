import { OnlineMigration } from "../online-migration.ts";

/** Moves the rows of the log as it was before 20261126-partitions, in steps: a log can be the largest of all tables. */
export class LogMoved extends OnlineMigration {
  override up(): void {
    this.addSql(moveActions);
    this.addSql(`drop table if exists old_action_log`);
    this.replaceIndex("reminder_deliveries_created_at", "reminder_deliveries (created_at)");
  }
}

const moveActions = `
  do $$ begin
    if to_regclass('old_action_log') is null then return; end if;
    for page in 0 .. pg_relation_size('old_action_log') / 8192 by 40 loop
      with moved as (
        delete from old_action_log
        where ctid >= format('(%s,0)', page)::tid and ctid < format('(%s,0)', page + 40)::tid
        returning *)
      insert into action_log (user_id, request_id, token_id, client_name, tool, arguments, outcome, replayed,
        called_at, duration_ms)
      select user_id, request_id, token_id, client_name, tool, arguments, outcome, replayed,
        least(greatest(called_at, now() - interval '400 days'), now()), duration_ms
      from moved;
      commit;
    end loop;
  end $$`;
