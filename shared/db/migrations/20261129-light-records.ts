import { Migration } from "@mikro-orm/migrations";

/**
 * Replies without a key lie in unlogged partitions: they are needed for seconds, and were the largest part of what a
 * write left in the write-ahead log. A crash of PostgreSQL empties them, and the table `keyless_replies` with them, so
 * that an empty table tells the workers that replies may be missing. And the action log has two indexes instead of three.
 */
export class LightRecords extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table keyless_replies (
        only_row boolean primary key default true check (only_row),
        complete_since timestamptz not null
      )`);
    this.addSql(`insert into keyless_replies (complete_since) values ('epoch')`);
    this.addSql(makePartitions);
    this.addSql(setUnlogged);
    this.addSql(`drop index action_log_by_time`);
    this.addSql(`drop index action_log_by_token`);
    this.addSql(`alter table action_log drop constraint action_log_pkey`);
    this.addSql(`alter table action_log add primary key (user_id, called_at, request_id)`);
    // The hash of a token's id is 8 bytes, where the id itself can be 64.
    this.addSql(
      `create index action_log_by_token on action_log (user_id, hashtextextended(token_id, 0), called_at desc)`,
    );
  }
}

/** The same, but for unlogged partitions of keyless replies, which end too soon to be worth a vacuum. */
const makePartitions = `
  create or replace function make_partitions(parent text, wanted text, step interval, since timestamptz, until timestamptz)
  returns void language plpgsql set timezone = 'UTC' as $$
  declare
    values_of text := case wanted when 'keyed' then 'true, ' when 'keyless' then 'false, ' else '' end;
    persistence text := case wanted when 'keyless' then 'unlogged' else '' end;
    storage text := case wanted when 'keyless' then 'with (autovacuum_enabled = false)' else '' end;
    first timestamptz := case when step >= interval '1 month' then date_trunc('month', coalesce(since, now()))
      else date_bin(step, since, '2026-01-01 00:00:00+00') end;
    lower timestamptz;
    leaf text;
  begin
    perform pg_advisory_xact_lock(hashtext('kept.partitions'));
    select greatest(max(p.upper), first) into lower from list_partitions(parent) p where p.kind = wanted;
    while lower <= until loop
      leaf := format('%s_%s_%s', parent, wanted, to_char(lower, 'YYYYMMDD_HH24MI'));
      execute format('create %s table %I (like %I including all) %s', persistence, leaf, parent, storage);
      if parent = 'inbox' then
        execute format('alter table %I add primary key (user_id, command_id)', leaf);
      end if;
      execute format('alter table %I attach partition %I for values from (%s%L) to (%s%L)',
        parent, leaf, values_of, lower, values_of, lower + step);
      lower := lower + step;
    end loop;
  end
  $$`;

/** Most partitions are for times to come and empty. A large one that is in use stays as it is until its end. */
const setUnlogged = `
  do $$
  declare leaf text;
  begin
    for leaf in select name from list_partitions('inbox') where kind = 'keyless' and pg_relation_size(name::regclass) < 32000000 loop
      execute format('alter table %I set unlogged', leaf);
    end loop;
  end
  $$`;
