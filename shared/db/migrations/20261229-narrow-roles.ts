import { Migration } from "@mikro-orm/migrations";

/** Workers own no table, so they make and drop partitions by two functions that run with the owner's rights. */
export class NarrowRoles extends Migration {
  override up(): void {
    this.addSql(
      `alter function make_partitions(text, text, interval, timestamptz, timestamptz)
       security definer set search_path = public, pg_temp`,
    );
    this.addSql(dropPartition);
  }
}

/**
 * Drops one partition by time. It locks the whole table, so it waits briefly for readers and then gives way. One that an
 * earlier release has half detached is detached first.
 */
const dropPartition = `
  create function drop_partition(parent text, leaf text) returns void language plpgsql
  security definer set search_path = public, pg_temp set lock_timeout = '50ms' as $$
  declare
    half boolean := (select p.detaching from list_partitions(parent) p where p.name = leaf);
  begin
    if half is null or parent not in ('inbox', 'action_log', 'action_images') then
      raise exception '% is no partition by time of %', leaf, parent;
    end if;
    if half then execute format('alter table %I detach partition %I finalize', parent, leaf); end if;
    execute format('drop table %I', leaf);
  end
  $$`;
