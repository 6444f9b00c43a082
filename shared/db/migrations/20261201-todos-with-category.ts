import { Migration } from "@mikro-orm/migrations";

/** The lists' indexes also hold the category, so that a list narrowed to one reads no row only to leave it out. */
export class TodosWithCategory extends Migration {
  override up(): void {
    this.addSql(`drop index todos_by_status`);
    this.addSql(`
      create index todos_by_status on todos
        (user_id, is_completed, due_date, time_of_day, id) include (category_id)`);
    this.addSql(`drop index todos_by_context`);
    this.addSql(`
      create index todos_by_context on todos
        (user_id, lower(context), is_completed, due_date, time_of_day, id) include (context, category_id)
      where context is not null`);
  }
}
