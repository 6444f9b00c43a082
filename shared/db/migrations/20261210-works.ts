import { Migration } from "@mikro-orm/migrations";

/** Long work that commands began: how far each is, so that any worker carries it on after a crash. */
export class Works extends Migration {
  override up(): void {
    this.addSql(`
      create table works (
        user_id text not null,
        id uuid not null,
        name text not null,
        input text not null,
        cursor text,
        done integer not null,
        total integer not null,
        tries integer not null default 0,
        outcome text,
        created_at timestamptz not null,
        ended_at timestamptz,
        primary key (user_id, id)
      )`);
    this.addSql(`create index works_open on works (user_id, created_at) where ended_at is null`);
    this.addSql(`create index works_ended on works (ended_at) where ended_at is not null`);
    // A deleted category is taken from its todos in steps, until which they name one that is not there.
    this.addSql(`lock table categories, todos in access exclusive mode`);
    this.addSql(`alter table todos drop constraint todos_user_id_category_id_fkey`);
    this.addSql(leaveCategory);
  }
}

const leaveCategory = `
  create or replace function leave_category() returns trigger language plpgsql as $$
  begin
    update habits set category_id = null, changed_xid = default
    where user_id = old.user_id and category_id = old.id;
    return old;
  end
  $$`;
