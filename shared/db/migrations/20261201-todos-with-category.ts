import { Migration } from "@mikro-orm/migrations";

/** Added the category to the indexes of lists. 20261218-due-time builds those that took their place. */
export class TodosWithCategory extends Migration {
  override up(): void {}
}
