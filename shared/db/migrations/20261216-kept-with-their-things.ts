import { Migration } from "@mikro-orm/migrations";

/**
 * Completions outlive their habit, and a habit or todo keeps the id of the category that was deleted: so a deletion that
 * is taken back finds both, and tombstones say only that something is gone. The lists in `deletions` are no longer
 * written; their columns go in a later release.
 */
export class KeptWithTheirThings extends Migration {
  override up(): void {
    this.addSql(`alter table habit_completions drop constraint habit_completions_user_id_habit_id_fkey`);
    this.addSql(`alter table habits add former_category_id bigint`);
    this.addSql(`alter table todos add former_category_id bigint`);
    this.addSql(`
      create index todos_former_category on todos (user_id, former_category_id, id)
      where former_category_id is not null`);
    this.addSql(leaveCategory);
    this.addSql(completionsOfDeletedHabits);
    this.addSql(`update deletions set completed_dates = null, completed_times = null where kind = 2`);
    for (const [table, ids] of [
      ["habits", "habit_ids"],
      ["todos", "todo_ids"],
    ] as const)
      this.addSql(formerMembers(table, ids));
    this.addSql(keepWithTheirThings);
    this.addSql(`
      create trigger keep_with_their_things before insert or update on deletions
      for each row when (new.completed_dates is not null or new.todo_ids is not null)
      execute function keep_with_their_things()`);
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

const completionsOfDeletedHabits = `
  insert into habit_completions (user_id, habit_id, local_date, completed_at)
  select d.user_id, d.id, c.local_date, c.completed_at
  from deletions d cross join lateral unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)
  where d.kind = 2
  on conflict do nothing`;

const formerMembers = (table: string, ids: string): string => `
  update ${table} t set former_category_id = m.category_id
  from (
    select distinct on (d.user_id, member.id) d.user_id, member.id, d.id as category_id
    from deletions d cross join lateral unnest(d.${ids}) member(id)
    where d.kind = 1 order by d.user_id, member.id, d.deleted_at desc
  ) m
  where t.user_id = m.user_id and t.id = m.id and t.category_id is null`;

/** Workers of the release before still write the lists, until they are replaced. */
const keepWithTheirThings = `
  create function keep_with_their_things() returns trigger language plpgsql as $$
  begin
    new.completed_dates := null;
    new.completed_times := null;
    update todos set former_category_id = new.id
    where new.kind = 1 and user_id = new.user_id and id = any(new.todo_ids);
    return new;
  end
  $$`;

/** As before, but for the deletions of habits, by which their completions are dropped one day. */
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
