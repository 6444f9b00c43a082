import { Migration } from "@mikro-orm/migrations";

/**
 * A migration for large tables under traffic: each statement is a transaction of its own. After a failure all of them run
 * again, so each can be repeated.
 */
export abstract class OnlineMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** Builds an index while others write. A build that failed leaves one that is not used and yet costs every write. */
  protected addIndex(name: string, definition: string): void {
    this.addSql(`
      do $$ begin
        if exists (select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid) then
          drop index ${name};
        end if;
      end $$`);
    this.addSql(`create index concurrently if not exists ${name} on ${definition}`);
  }

  /** Builds another index in place of the one of that name, which serves until the new one is ready. */
  protected replaceIndex(name: string, definition: string): void {
    this.addSql(`drop index concurrently if exists ${name}_before`);
    this.addIndex(`${name}_next`, definition);
    this.addSql(`
      do $$ begin
        alter index if exists ${name} rename to ${name}_before;
        alter index ${name}_next rename to ${name};
      end $$`);
    this.addSql(`drop index concurrently if exists ${name}_before`);
  }

  /**
   * Builds an index of a partitioned table partition by partition, each in a transaction that locks that one alone.
   * PostgreSQL cannot build it concurrently.
   */
  protected addPartitionedIndex(table: string, name: string, definition: string): void {
    this.addSql(`
      do $$ declare leaf text; begin
        for leaf in select p.name from list_partitions('${table}') p loop
          execute format('create index if not exists %I on %I ${definition}', leaf || '_${name}', leaf);
          commit;
        end loop;
        create index if not exists ${table}_${name} on ${table} ${definition};
      end $$`);
  }

  /** Runs an update over a table in steps of some pages, each a transaction, so that no row stays locked for long. */
  protected updateInSteps(table: string, changes: string, condition: string): void {
    this.addSql(`
      do $$ begin
        for page in 0 .. pg_relation_size('${table}') / 8192 by ${pagesAtOnce} loop
          update ${table} set ${changes}
          where ctid >= format('(%s,0)', page)::tid and ctid < format('(%s,0)', page + ${pagesAtOnce})::tid
            and ${condition};
          commit;
        end loop;
      end $$`);
  }
}

/** About a thousand todos. */
const pagesAtOnce = 40;
