import { Migration } from "@mikro-orm/migrations";

/** The default order over all of a user's todos: without it, each page of a long list sorted the whole of it. */
export class TodosInOrder extends Migration {
  override up(): void {
    this.addSql(`create index todos_in_order on todos (user_id, due_date, time_of_day, id)`);
  }
}
