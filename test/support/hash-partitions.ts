import { showOwnRows } from "../../shared/db/statements/row-users.ts";
import { wordsIn } from "./text-table.ts";

/** The tables whose rows belong to a user and whose keys begin with the user. The log and the inbox have partitions by time. */
const tables = wordsIn(`
  users categories habits habit_completions habit_amounts todos reminders reminder_deliveries deletions`);

/**
 * Partitions the tables of an empty database by hash of the user, as an operator may do who shards. Rows of
 * different users may then have the same ctid in different partitions. Partitioned tables stay as they are.
 */
export const cutByUser = (partitions: number): string => `
  do $$
  declare
    foreign_key record;
    trigger_definition text;
    name text;
  begin
    if (select relkind = 'p' from pg_class where oid = 'users'::regclass) then return; end if;
    create temporary table foreign_keys on commit drop as
      select conname, conrelid::regclass::text as child, pg_get_constraintdef(oid) as definition
      from pg_constraint
      where contype = 'f' and conrelid::regclass::text = any('{${tables.join(",")}}');
    create temporary table triggers on commit drop as
      select pg_get_triggerdef(oid) as definition from pg_trigger
      where not tgisinternal and tgrelid::regclass::text = any('{${tables.join(",")}}');
    for foreign_key in select * from foreign_keys loop
      execute format('alter table %I drop constraint %I', foreign_key.child, foreign_key.conname);
    end loop;
    foreach name in array '{${tables.join(",")}}'::text[] loop
      execute format('alter table %I rename to %I', name, name || '_whole');
      execute format('create table %I (like %I including all) partition by hash (user_id)', name, name || '_whole');
      execute format('drop table %I', name || '_whole');
      for remainder in 0 .. ${partitions - 1} loop
        execute format('create table %I partition of %I for values with (modulus ${partitions}, remainder %s)',
          name || '_' || remainder, name, remainder);
      end loop;
    end loop;
    for foreign_key in select * from foreign_keys loop
      execute format('alter table %I add constraint %I %s',
        foreign_key.child, foreign_key.conname, foreign_key.definition);
    end loop;
    for trigger_definition in select definition from triggers loop
      execute trigger_definition;
    end loop;
  end $$;
  ${tables.map((table) => showOwnRows(table)).join("")}`;
