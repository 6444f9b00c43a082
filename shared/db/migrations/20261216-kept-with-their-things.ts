import { OnlineMigration } from "../online-migration.ts";

/**
 * Completions outlive their habit, and a habit or todo keeps the id of the category that was deleted: so a deletion that
 * is taken back finds both, and tombstones say only that something is gone. The lists in `deletions` are no longer
 * written; their columns go in a later release.
 */
export class KeptWithTheirThings extends OnlineMigration {
  override up(): void {
    this.addSql(withoutReference);
    this.addSql(`alter table habits add if not exists former_category_id bigint`);
    this.addSql(`alter table todos add if not exists former_category_id bigint`);
    this.addIndex(
      "todos_former_category",
      "todos (user_id, former_category_id, id) where former_category_id is not null",
    );
    this.addSql(leaveCategory);
    this.addSql(keepWithTheirThings);
    this.addSql(`
      create or replace trigger keep_with_their_things before insert or update on deletions
      for each row when (new.completed_dates is not null or new.todo_ids is not null)
      execute function keep_with_their_things()`);
    this.addSql(takeLists);
    this.addSql(renewChanges);
  }
}

const leaveCategory = `
  create or replace function leave_category() returns trigger language plpgsql as $$
  begin
    update habits set category_id = null, former_category_id = category_id, changed_xid = default
    where user_id = old.user_id and category_id = old.id;
    return old;
  end
  $$`;

/** Dropping a foreign key locks both of its tables. */
const withoutReference = `
  do $$ begin
    lock table habits, habit_completions in access exclusive mode;
    alter table habit_completions drop constraint if exists habit_completions_user_id_habit_id_fkey;
  end $$`;

function formerMembers(table: string, ids: string): string {
  return `
      update ${table} t set former_category_id = m.category_id
      from (
        select distinct on (d.user_id, member.id) d.user_id, member.id, d.id as category_id
        from deletions d cross join lateral unnest(d.${ids}) member(id)
        where d.kind = 1 and d.deleted_at > since and d.deleted_at <= until
        order by d.user_id, member.id, d.deleted_at desc
      ) m
      where t.user_id = m.user_id and t.id = m.id and t.category_id is null`;
}

/** Takes the lists out of older tombstones, some at a time from the oldest on, so that the newest category counts. */
const takeLists = `
  do $$
  declare
    since timestamptz := '-infinity';
    until timestamptz;
  begin
    loop
      select max(deleted_at) into until
      from (select deleted_at from deletions where deleted_at > since order by deleted_at limit 200) step;
      exit when until is null;
      insert into habit_completions (user_id, habit_id, local_date, completed_at)
      select d.user_id, d.id, c.local_date, c.completed_at
      from deletions d cross join lateral unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)
      where d.kind = 2 and d.deleted_at > since and d.deleted_at <= until
      on conflict do nothing;
      update deletions set completed_dates = null, completed_times = null
      where kind = 2 and completed_dates is not null and deleted_at > since and deleted_at <= until;
      ${formerMembers("habits", "habit_ids")};
      ${formerMembers("todos", "todo_ids")};
      commit;
      since := until;
    end loop;
  end $$`;

/** Workers of the release before still write the lists, until they are replaced. */
const keepWithTheirThings = `
  create or replace function keep_with_their_things() returns trigger language plpgsql as $$
  begin
    new.completed_dates := null;
    new.completed_times := null;
    update todos set former_category_id = new.id
    where new.kind = 1 and user_id = new.user_id and id = any(new.todo_ids);
    return new;
  end
  $$`;

/** The same, but for deletions of habits, by which upkeep later drops their completions. */
const renewChanges = `
  create or replace function renew_changes() returns void language plpgsql as $$
  declare
    here bigint := (select system_identifier from pg_control_system());
  begin
    update change_horizon set system_identifier = here, pruned_xid = '0'
    where system_identifier <> here;
    if not found then return; end if;
    delete from deletions d where d.kind <> 2 or exists (
      select from deletions n
      where n.user_id = d.user_id and n.kind = d.kind and n.id = d.id and n.changed_xid > d.changed_xid);
    update deletions set changed_xid = pg_current_xact_id() where changed_xid > pg_current_xact_id();
    update users set changed_xid = default where changed_xid > pg_current_xact_id();
    update categories set changed_xid = default where changed_xid > pg_current_xact_id();
    update habits set changed_xid = default where changed_xid > pg_current_xact_id();
    update todos set changed_xid = default where changed_xid > pg_current_xact_id();
    update reminders set changed_xid = default where changed_xid > pg_current_xact_id();
  end
  $$`;
