import { Migration } from "@mikro-orm/migrations";

/** People write a context as "home" or "@home", so the index holds it without the sign. */
export class Contexts extends Migration {
  override up(): void {
    this.addSql(`drop index todos_by_context`);
    this.addSql(`
      create index todos_by_context on todos
        (user_id, lower(ltrim(context, '@')), is_completed, due_date, time_of_day, id) include (context, category_id)
      where context is not null`);
  }
}
