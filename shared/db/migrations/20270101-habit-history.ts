import { Migration } from "@mikro-orm/migrations";

/** A habit's row keeps its whole history, from which its streak is computed. A completion can have a note. */
export class HabitHistory extends Migration {
  override up(): void {
    this.addSql(`
      alter table habits
        drop column streak_state,
        add column done_from date,
        add column done_days varbit not null default B'',
        add column edits jsonb not null default '[]',
        add column pauses jsonb not null default '[]',
        add column neutral_dates date[] not null default '{}',
        add column moved_to date`);
    this.addSql(`alter table habit_completions add column note text`);
    this.addSql(
      `create index habit_completions_noted on habit_completions (user_id, habit_id, local_date) where note is not null`,
    );
  }
}
