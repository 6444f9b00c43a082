import { OnlineMigration } from "../online-migration.ts";

/** Lists of long histories. 20261218-due-time builds the indexes in which each list is a range in its order. */
export class LongHistories extends OnlineMigration {
  override up(): void {
    // "where is_completed" let the planner take this index for lists of completed todos, which then were sorted.
    this.replaceIndex("todos_completed_on", "todos (user_id, completed_on) where completed_on is not null");
    // Entries of rows that no vacuum has seen yet cannot be counted without looking at the rows.
    this.addSql(`alter table todos set (autovacuum_vacuum_insert_scale_factor = 0.05)`);
  }
}
