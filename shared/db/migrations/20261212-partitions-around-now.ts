import { Migration } from "@mikro-orm/migrations";

/**
 * PostgreSQL's clock may jump, so partitions are made wherever one is missing around the present, also before others
 * that exist. And upkeep deletes by a clock of its own, which does not follow a jump ahead at once.
 */
export class PartitionsAroundNow extends Migration {
  override up(): void {
    this.addSql(`drop function list_partitions(text)`);
    this.addSql(listPartitions);
    this.addSql(makePartitions);
    this.addSql(`
      create table upkeep_clock (
        only_row boolean primary key default true check (only_row),
        reached timestamptz not null,
        last_run_at timestamptz not null
      )`);
    this.addSql(`insert into upkeep_clock (reached, last_run_at) values (now(), now())`);
  }
}

/** The partitions of a table: kind, name, begin and end of their time, and whether they are half detached. */
const listPartitions = `
  create function list_partitions(parent text)
  returns table (kind text, name text, lower timestamptz, upper timestamptz, detaching boolean)
  language sql stable set timezone = 'UTC' as $$
    select split_part(substr(c.relname, length(parent) + 2), '_', 1), c.relname::text,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(.*''(.+)''\\) TO')::timestamptz,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(.*''(.+)''\\)')::timestamptz,
      i.inhdetachpending
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent::regclass
  $$`;

/**
 * Fills every gap between two moments. Existing partitions stay as they are, so that a step may change. A table that was
 * detached and not yet dropped is attached again. All workers may notice a gap at once, so they wait longer than for rows.
 */
const makePartitions = `
  create or replace function make_partitions(parent text, wanted text, step interval, since timestamptz, until timestamptz)
  returns void language plpgsql set timezone = 'UTC' set lock_timeout = '2s' as $$
  declare
    values_of text := case wanted when 'keyed' then 'true, ' when 'keyless' then 'false, ' else '' end;
    persistence text := case wanted when 'keyless' then 'unlogged' else '' end;
    storage text := case wanted when 'keyless' then 'with (autovacuum_enabled = false)' else '' end;
    place timestamptz := coalesce(since, now());
    earlier_ends timestamptz;
    later_begins timestamptz;
    first timestamptz;
    lower timestamptz;
    leaf text;
  begin
    perform pg_advisory_xact_lock(hashtext('kept.partitions'));
    while place <= until loop
      select max(p.upper) filter (where p.lower <= place), min(p.lower) filter (where p.lower > place)
        into earlier_ends, later_begins from list_partitions(parent) p where p.kind = wanted;
      if earlier_ends > place then
        place := earlier_ends;
        continue;
      end if;
      first := case when step >= interval '1 month' then date_trunc('month', place)
        else date_bin(step, place, '2026-01-01 00:00:00+00') end;
      lower := greatest(first, earlier_ends);
      place := least(first + step, later_begins);
      leaf := format('%s_%s_%s', parent, wanted, to_char(lower, 'YYYYMMDD_HH24MI'));
      if to_regclass(leaf) is null then
        execute format('create %s table %I (like %I including all) %s', persistence, leaf, parent, storage);
        if parent = 'inbox' then
          execute format('alter table %I add primary key (user_id, command_id)', leaf);
        end if;
      end if;
      execute format('alter table %I attach partition %I for values from (%s%L) to (%s%L)',
        parent, leaf, values_of, lower, values_of, place);
    end loop;
  end
  $$`;
