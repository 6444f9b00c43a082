import { OnlineMigration } from "../online-migration.ts";

/**
 * The changes for clients that keep a copy: written rows and deletions. Each row carries the number
 * of the transaction that last wrote it, because these are known to be settled where clocks and sequences are not. The
 * unit of work writes it with the row; triggers, which would cost each of its writes, do where something else writes.
 */
export class Changes extends OnlineMigration {
  override up(): void {
    for (const table of ["users", "categories", "habits", "todos", "reminders"]) {
      // Together with its default the column would be a rewrite of the whole table under lock.
      this.addSql(`alter table ${table} add if not exists changed_xid xid8`);
      this.addSql(`alter table ${table} alter changed_xid set default pg_current_xact_id()`);
      this.updateInSteps(table, "changed_xid = default", "changed_xid is null");
      // A checked constraint spares the column's own check, which would look at each row under lock.
      this.addSql(`alter table ${table} drop constraint if exists is_changed`);
      this.addSql(`alter table ${table} add constraint is_changed check (changed_xid is not null) not valid`);
      this.addSql(`alter table ${table} validate constraint is_changed`);
      this.addSql(`alter table ${table} alter changed_xid set not null`);
      this.addSql(`alter table ${table} drop constraint is_changed`);
    }
    // A user's habits and categories are few enough to be looked through, and an index would cost each of their writes.
    this.addIndex("todos_by_change", "todos (user_id, changed_xid, id)");
    this.addIndex("reminders_by_change", "reminders (user_id, changed_xid, todo_id)");
    // Renaming a category changes its todos as clients see them, page after page by id.
    this.replaceIndex("todos_category", "todos (user_id, category_id, id) where category_id is not null");
    this.addSql(stampChange);
    for (const [table, condition] of Object.entries(visibleChanges))
      this.addSql(`
        create or replace trigger stamp_change before update on ${table} for each row when (${condition})
        execute function stamp_change()`);
    this.addSql(leaveCategory);
    this.addSql(
      `create or replace trigger leave_category before delete on categories for each row execute function leave_category()`,
    );
    this.addSql(deletions);
    this.addSql(`create index if not exists deletions_deleted_at on deletions (deleted_at)`);
    this.addSql(changeHorizon);
    this.addSql(
      `insert into change_horizon (pruned_xid, system_identifier)
       select '0', system_identifier from pg_control_system()
       on conflict do nothing`,
    );
    this.addSql(changeMarks);
    this.addSql(renewChanges);
  }
}

const stampChange = `
  create or replace function stamp_change() returns trigger language plpgsql as $$
  begin
    new.changed_xid := pg_current_xact_id();
    return new;
  end
  $$`;

/** A reminder's time and result are visible, and of the settings only the zone. */
const visibleChanges = {
  reminders: "(old.remind_at, old.status) is distinct from (new.remind_at, new.status)",
  users: "old.time_zone is distinct from new.time_zone",
};

/** The foreign keys would do the same, but could not note it as a change. */
const leaveCategory = `
  create or replace function leave_category() returns trigger language plpgsql as $$
  begin
    update habits set category_id = null, changed_xid = default
    where user_id = old.user_id and category_id = old.id;
    update todos set category_id = null, changed_xid = default
    where user_id = old.user_id and category_id = old.id;
    return old;
  end
  $$`;

/** `kind` is 1 for a category, 2 for a habit and 3 for a todo. */
const deletions = `
  create table if not exists deletions (
    user_id text not null,
    changed_xid xid8 not null,
    kind smallint not null,
    id bigint not null,
    deleted_at timestamptz not null,
    primary key (user_id, changed_xid, kind, id)
  )`;

/** Up to which transaction deletions were forgotten, and the cluster whose numbers these are. */
const changeHorizon = `
  create table if not exists change_horizon (
    only_row boolean primary key default true check (only_row),
    pruned_xid xid8 not null,
    system_identifier bigint not null
  )`;

/**
 * All below \`settled_xid\` is committed and seen by this statement, or will never be. The generation is another one
 * wherever numbers could be given out again: after a crash, a failover or a restore PostgreSQL begins its statistics
 * anew, and tables that were loaded from a dump are other tables.
 */
const changeMarks = `
  create or replace function change_marks()
  returns table (generation text, settled_xid xid8, next_xid xid8, pruned_xid xid8) language sql stable as $$
    select to_hex(hashtextextended(concat_ws(' ', extract(epoch from b.stats_reset), d.oid, 'todos'::regclass::oid), 0)),
      pg_snapshot_xmin(s), pg_snapshot_xmax(s), h.pruned_xid
    from pg_current_snapshot() s, change_horizon h, pg_stat_bgwriter b, pg_database d
    where d.datname = current_database()
  $$`;

/** In a cluster that was loaded from a dump of another one, rows may be ahead of the present transactions. */
const renewChanges = `
  create or replace function renew_changes() returns void language plpgsql as $$
  declare
    here bigint := (select system_identifier from pg_control_system());
  begin
    update change_horizon set system_identifier = here, pruned_xid = '0'
    where system_identifier <> here;
    if not found then return; end if;
    truncate deletions;
    update users set changed_xid = default where changed_xid > pg_current_xact_id();
    update categories set changed_xid = default where changed_xid > pg_current_xact_id();
    update habits set changed_xid = default where changed_xid > pg_current_xact_id();
    update todos set changed_xid = default where changed_xid > pg_current_xact_id();
    update reminders set changed_xid = default where changed_xid > pg_current_xact_id();
  end
  $$`;
