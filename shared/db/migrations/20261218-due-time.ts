import { OnlineMigration } from "../online-migration.ts";

/**
 * A time beside the due date, as text such as `14:30`: its byte order is the order of the day. The lists' indexes hold it,
 * so that a list stays a range of one index in its order, and overdue todos are counted without looking at rows.
 */
export class DueTime extends OnlineMigration {
  override up(): void {
    this.addSql(`alter table todos add if not exists due_time text collate "C"`);
    this.replaceIndex(
      "todos_by_status",
      "todos (user_id, is_completed, due_date, due_time, time_of_day, id) include (category_id)",
    );
    // The context itself is included because entries with an expression of it alone could not be counted.
    this.replaceIndex(
      "todos_by_context",
      `todos (user_id, lower(ltrim(context, '@')), is_completed, due_date, due_time, time_of_day, id)
        include (context, category_id) where context is not null`,
    );
    // These served a part of the lists each.
    this.addSql(`drop index concurrently if exists todos_pending`);
    this.addSql(`drop index concurrently if exists todos_in_order`);
  }
}
