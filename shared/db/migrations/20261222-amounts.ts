import { Migration } from "@mikro-orm/migrations";

/** Habits that count towards an amount a day. A day's sum has a row of its own, so that completions stay as small as they are. */
export class Amounts extends Migration {
  override up(): void {
    this.addSql(`
      alter table habits
        add column target int,
        add column unit text,
        add column recent_amounts jsonb not null default '{}'`);
    this.addSql(`
      create table habit_amounts (
        user_id text not null,
        habit_id bigint not null,
        local_date date not null,
        amount int not null,
        target int not null,
        primary key (user_id, habit_id, local_date)
      )`);
  }
}
