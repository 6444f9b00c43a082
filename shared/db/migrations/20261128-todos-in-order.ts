import { Migration } from "@mikro-orm/migrations";

/** Built an index for the default order of todos. 20261218-due-time builds the one that took its place. */
export class TodosInOrder extends Migration {
  override up(): void {}
}
