import { Migration } from "@mikro-orm/migrations";

/** Pauses and skipped days of habits. The streak's state has them; these columns are for reads. */
export class PauseSkip extends Migration {
  override up(): void {
    this.addSql(`
      alter table habits
        add column paused_from date,
        add column paused_through date,
        add column free_dates datemultirange not null default '{}',
        add column skipped_dates date[] not null default '{}'`);
  }
}
