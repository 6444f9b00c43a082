import { Migration } from "@mikro-orm/migrations";
import { OnlineMigration } from "../../shared/db/online-migration.ts";
import { showOwnRows } from "../../shared/db/statements/statements.ts";

/** Changes of small tables, in one transaction. */
class Notes extends Migration {
  override up(): void {
    this.addSql(`
      create table notes (
        user_id text not null, id bigint not null, todo_id bigint, primary key (user_id, id),
        foreign key (user_id, todo_id) references todos)`);
    this.addSql(showOwnRows("notes"));
    this.addSql("alter table reminders add note text");
    this.addSql("alter table webhooks set (fillfactor = 90)");
    this.addSql("create index import_keys_by_id on import_keys (user_id, id)");
    this.addSql("drop index works_ended");
    this.addSql("drop table push_subscriptions");
    this.addSql("update upkeep_clock set reached = now()");
    this.addSql("insert into deleted_users (id, deleted_at) values ('ada', now())");
    this.addSql("delete from account_bytes where things = 0");
    this.addSql(
      "select make_partitions('action_images', 'all', '1 day', now() + interval '9 days', now() + interval '9 days')",
    );
  }
}

/** A column of a large table with a constraint, and indexes: new, replaced, partitioned and gone. */
class Effort extends OnlineMigration {
  override up(): void {
    this.addSql("alter table todos add if not exists effort int not null default 0");
    this.updateInSteps("todos", "effort = estimated_minutes", "estimated_minutes > effort");
    this.addSql("alter table todos drop constraint if exists effort_is_small");
    this.addSql("alter table todos add constraint effort_is_small check (effort < 10000) not valid");
    this.addSql("alter table todos validate constraint effort_is_small");
    this.addIndex("todos_by_effort", "todos (user_id, effort, id)");
    this.replaceIndex(
      "todos_category",
      "todos (user_id, category_id, effort, id) where category_id is not null",
    );
    this.addPartitionedIndex("action_log", "by_outcome", "(user_id, outcome, called_at desc)");
    this.addSql("drop index concurrently if exists reminders_coming");
    this.addSql(`
      create or replace trigger stamp_effort before update on habits for each row
      when (old.streak is distinct from new.streak) execute function stamp_change()`);
    this.addSql(`
      do $$ begin
        lock table categories, habits in access exclusive mode;
        alter table habits drop constraint if exists habits_user_id_category_id_fkey;
      end $$`);
  }
}

/** Migrations as a later release may have them, one of each kind. */
export const smallMigrations = [
  { name: "20990101-notes", class: Notes },
  { name: "20990102-effort", class: Effort },
];
