import { Migration } from "@mikro-orm/migrations";

/**
 * Data with a limited life is stored in partitions by time, which are dropped whole: deletes would leave
 * dead rows for everybody to step over. Stored replies lie apart by whether they have a key, as they are
 * kept for a day then, and else for minutes. The log's rows follow in 20261129-log-moved.
 */
export class Partitions extends Migration {
  override up(): void {
    this.addSql(listPartitions);
    this.addSql(makePartitions);
    this.addSql(`alter table inbox rename to old_inbox`);
    // Workers of the former release know no `keyed` and go on writing until they are replaced.
    this.addSql(`
      create table inbox (
        user_id text not null,
        command_id uuid not null,
        fingerprint text not null,
        reply text not null,
        keyed boolean not null default true,
        created_at timestamptz not null
      ) partition by range (keyed, created_at)`);
    const inbox = (kind: string, step: string, since: string, until: string) =>
      this.addSql(
        `select make_partitions('inbox', '${kind}', '${step}', now() - interval '${since}', now() + interval '${until}')`,
      );
    inbox("keyless", "30 minutes", "45 minutes", "2 hours");
    inbox("keyed", "12 hours", "24 hours", "24 hours");
    this.addSql(moveReplies);
    this.addSql(`drop table old_inbox`);
    this.addSql(`alter table action_log rename to old_action_log`);
    for (const index of ["pkey", "by_token", "by_time"])
      this.addSql(`alter index action_log_${index} rename to old_action_log_${index}`);
    this.addSql(`
      create table action_log (
        user_id text not null,
        request_id uuid not null,
        token_id text not null,
        client_name text,
        tool text not null,
        arguments text not null,
        outcome text not null,
        replayed boolean not null,
        calls int not null default 1,
        called_at timestamptz not null,
        duration_ms double precision not null,
        primary key (user_id, request_id, called_at)
      ) partition by range (called_at)`);
    this.addSql(
      `create index action_log_by_token on action_log (user_id, token_id, called_at desc, request_id desc)`,
    );
    this.addSql(`create index action_log_by_time on action_log (user_id, called_at desc, request_id desc)`);
    this.addSql(`
      select make_partitions('action_log', 'all', '1 month',
        case when min(called_at) < now() then greatest(min(called_at), now() - interval '400 days') else now() end,
        now() + interval '2 months')
      from old_action_log`);
  }
}

/** A table's partitions: kind, name, end of its time, and whether it is half detached. */
const listPartitions = `
  create function list_partitions(parent text)
  returns table (kind text, name text, upper timestamptz, detaching boolean)
  language sql stable set timezone = 'UTC' as $$
    select split_part(substr(c.relname, length(parent) + 2), '_', 1), c.relname::text,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(.*''(.+)''\\)')::timestamptz,
      i.inhdetachpending
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent::regclass
  $$`;

/**
 * Makes the partitions of one kind that are missing between two moments; those that exist stay as they are,
 * so that a step may change. Attaching a finished table locks out nobody who reads or writes.
 */
const makePartitions = `
  create function make_partitions(parent text, wanted text, step interval, since timestamptz, until timestamptz)
  returns void language plpgsql set timezone = 'UTC' as $$
  declare
    values_of text := case wanted when 'keyed' then 'true, ' when 'keyless' then 'false, ' else '' end;
    first timestamptz := case when step >= interval '1 month' then date_trunc('month', coalesce(since, now()))
      else date_bin(step, since, '2026-01-01 00:00:00+00') end;
    lower timestamptz;
    leaf text;
  begin
    perform pg_advisory_xact_lock(hashtext('kept.partitions'));
    select greatest(max(p.upper), first) into lower from list_partitions(parent) p where p.kind = wanted;
    while lower <= until loop
      leaf := format('%s_%s_%s', parent, wanted, to_char(lower, 'YYYYMMDD_HH24MI'));
      execute format('create table %I (like %I including all)', leaf, parent);
      if parent = 'inbox' then
        execute format('alter table %I add primary key (user_id, command_id)', leaf);
      end if;
      execute format('alter table %I attach partition %I for values from (%s%L) to (%s%L)',
        parent, leaf, values_of, lower, values_of, lower + step);
      lower := lower + step;
    end loop;
  end
  $$`;

/** A reply without a key lies where the time in its id (UUIDv7) says, so that its repeat meets it there. */
const moveReplies = `
  insert into inbox (user_id, command_id, fingerprint, reply, keyed, created_at)
  select user_id, command_id, fingerprint, reply, fingerprint <> '',
    case when fingerprint = '' and abs(extract(epoch from created_at - made_at)) < 600
      then made_at else created_at end
  from old_inbox
  cross join lateral (
    select to_timestamp(('x' || substr(replace(command_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) as made_at
  ) of_id
  where created_at between
    now() - case when fingerprint = '' then interval '30 minutes' else interval '24 hours' end and now()`;
