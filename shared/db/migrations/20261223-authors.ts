import { OnlineMigration } from "../online-migration.ts";

/**
 * Each thing knows who made it, changed it last and wrote its words last (shared/domain/author.ts), and the log finds
 * all that was done to it. `others` are the things of a row beside its resource, by which an index finds the row as well.
 */
export class Authors extends OnlineMigration {
  override up(): void {
    this.addSql(`
      alter table categories
        add column if not exists created_by text,
        add column if not exists changed_by text,
        add column if not exists written_by text`);
    this.addSql(`
      alter table habits
        add column if not exists created_by text,
        add column if not exists changed_by text,
        add column if not exists written_by text`);
    this.addSql(`
      alter table todos
        add column if not exists created_by text,
        add column if not exists changed_by text,
        add column if not exists written_by text`);
    this.addSql("alter table action_log add column if not exists others text[]");
    this.addPartitionedIndex(
      "action_log",
      "by_resource",
      "(user_id, resource_kind, resource_id, called_at desc, request_id desc) where resource_id is not null",
    );
    this.addPartitionedIndex(
      "action_log",
      "of_several",
      "(user_id, called_at desc, request_id desc) where others is not null",
    );
  }
}
