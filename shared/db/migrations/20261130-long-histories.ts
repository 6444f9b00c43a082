import { Migration } from "@mikro-orm/migrations";

/**
 * Every list of todos is a range of one index, in its order, and is counted from the index's entries alone. One index
 * with the status holds both pending and completed todos, in place of one with all and one with the pending again.
 */
export class LongHistories extends Migration {
  override up(): void {
    this.addSql(`drop index todos_pending`);
    this.addSql(`drop index todos_in_order`);
    this.addSql(`create index todos_by_status on todos (user_id, is_completed, due_date, time_of_day, id)`);
    // The context itself is included because entries with an expression of it alone could not be counted.
    this.addSql(`
      create index todos_by_context on todos
        (user_id, lower(context), is_completed, due_date, time_of_day, id) include (context)
      where context is not null`);
    // "where is_completed" let the planner take this index for lists of completed todos, which then were sorted.
    this.addSql(`drop index todos_completed_on`);
    this.addSql(
      `create index todos_completed_on on todos (user_id, completed_on) where completed_on is not null`,
    );
    // Entries of rows that no vacuum has seen yet cannot be counted without looking at the rows.
    this.addSql(`alter table todos set (autovacuum_vacuum_insert_scale_factor = 0.05)`);
  }
}
