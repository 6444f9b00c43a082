import { Migration } from "@mikro-orm/migrations";
import { showOwnRows } from "../statements/statements.ts";
import { productTables } from "./20261128-schema/product.ts";
import { identityTables, serviceTables } from "./20261128-schema/services.ts";

/** The schema of 0.1.0. The rights of roles are not in it: each `migrate` gives them (workers/upkeep/migrate.ts). */
export class FirstSchema extends Migration {
  override up(): void {
    for (const tables of [productTables, serviceTables, identityTables]) this.addSql(tables);
    for (const functions of [changes, journal, partitions, rowSecurity]) this.addSql(functions);
  }
}

/** It lets a function run with the rights of the owner of the tables, so `rights.ts` says who may call it. */
const asOwner = "security definer set search_path = public, pg_temp";

/** Functions about changes, for clients that keep a copy. */
const changes = `
  -- Does for reminders and users what the unit of work does for other rows: triggers would cost each of its writes. A
  -- reminder's time and result are visible to clients, and of the settings only the zone.
  create function stamp_change() returns trigger language plpgsql as $$
  begin
    new.changed_xid := pg_current_xact_id();
    return new;
  end
  $$;
  create trigger stamp_change before update on reminders for each row
    when ((old.remind_at, old.status) is distinct from (new.remind_at, new.status)) execute function stamp_change();
  create trigger stamp_change before update on users for each row
    when (old.time_zone is distinct from new.time_zone) execute function stamp_change();

  -- The foreign key of habits would take the category away as well, but could neither note the change nor keep its id.
  create function leave_category() returns trigger language plpgsql as $$
  begin
    update habits set category_id = null, former_category_id = category_id, changed_xid = default
    where user_id = old.user_id and category_id = old.id;
    return old;
  end
  $$;
  create trigger leave_category before delete on categories for each row execute function leave_category();

  -- All below settled_xid is committed and seen by this statement, or will never be. The generation is another one
  -- wherever numbers could be given out again: after a crash, a failover or a restore PostgreSQL begins its statistics
  -- anew, and tables that were loaded from a dump are other tables.
  create function change_marks()
  returns table (generation text, settled_xid xid8, next_xid xid8, pruned_xid xid8) language sql stable as $$
    select to_hex(hashtextextended(concat_ws(' ', extract(epoch from b.stats_reset), d.oid, 'todos'::regclass::oid), 0)),
      pg_snapshot_xmin(s), pg_snapshot_xmax(s), h.pruned_xid
    from pg_current_snapshot() s, change_horizon h, pg_stat_bgwriter b, pg_database d
    where d.datname = current_database()
  $$;

  -- In a cluster that was loaded from a dump of another one, rows may be ahead of the present transactions. Tombstones of
  -- habits stay, because upkeep later drops their completions by them.
  create function renew_changes() returns void language plpgsql as $$
  declare
    here bigint := (select system_identifier from pg_control_system());
  begin
    update change_horizon set system_identifier = here, pruned_xid = '0'
    where system_identifier <> here;
    if not found then return; end if;
    update webhooks set cursor = '0.0.0.0.0.0';
    delete from deletions d where d.kind <> 2 or exists (
      select from deletions n
      where n.user_id = d.user_id and n.kind = d.kind and n.id = d.id and n.changed_xid > d.changed_xid);
    update deletions set changed_xid = pg_current_xact_id() where changed_xid > pg_current_xact_id();
    update users set changed_xid = default where changed_xid > pg_current_xact_id();
    update categories set changed_xid = default where changed_xid > pg_current_xact_id();
    update habits set changed_xid = default where changed_xid > pg_current_xact_id();
    update todos set changed_xid = default where changed_xid > pg_current_xact_id();
    update reminders set changed_xid = default where changed_xid > pg_current_xact_id();
  end
  $$;
`;

const lock = (user: string) => `perform pg_advisory_xact_lock(hashtext('kept.journal'), hashtext(${user}))`;

/** Functions of the account journal, whose rows no process may write. */
const journal = `
  -- Adds a row, unless the kind has p_most rows in this period; then it is only counted, and one row tells the number
  -- when the period has ended. p_told makes a message to its person. The account is locked first, so that two transactions never wait in a circle.
  create function journal_append(
    p_user text, p_kind text, p_details jsonb, p_most bigint, p_period text,
    p_subject text default '', p_times bigint default 1, p_told boolean default false)
  returns boolean language plpgsql ${asOwner} as $$
  declare
    ends timestamptz := date_trunc(p_period, now(), 'UTC') + ('1 ' || p_period)::interval;
    counted bigint;
  begin
    ${lock("p_user")};
    if p_subject <> '' and
      (select count(*) from journal_counts where user_id = p_user and kind = p_kind and until = ends) >= 100
      then p_subject := ''; end if;
    insert into journal_counts as c (user_id, kind, subject, until, most, times, details)
    values (p_user, p_kind, p_subject, ends, case when p_period <> 'year' then p_most end, p_times, p_details)
    on conflict (user_id, kind, subject, until) do update
      set times = c.times + excluded.times, details = excluded.details
    returning times into counted;
    if counted <= p_most then
      insert into journal (user_id, kind, details) values (p_user, p_kind, p_details);
      insert into identity.notices (account_id, kind, details, thing, email)
      select id, p_kind, p_details, '', case when email_verified_at is not null then email end
      from identity.accounts where id = p_user and p_told;
    end if;
    return counted <= p_most;
  end
  $$;

  -- Tells what was only counted in periods that have ended.
  create function journal_close(p_most int) returns table (user_id text, kind text, times bigint)
  language plpgsql ${asOwner} as $$
  #variable_conflict use_column
  declare
    ended journal_counts;
  begin
    for ended in
      select * from journal_counts where until <= now() order by user_id, kind, subject, until limit p_most
    loop
      ${lock("ended.user_id")};
      delete from journal_counts c
      where (c.user_id, c.kind, c.subject, c.until) = (ended.user_id, ended.kind, ended.subject, ended.until)
      returning * into ended;
      continue when not found;
      return query select ended.user_id, ended.kind, greatest(ended.times - ended.most, 0);
      continue when ended.times > ended.most is not true;
      insert into journal (user_id, kind, details) values (ended.user_id, ended.kind, ended.details || jsonb_build_object(
        'times', ended.times - ended.most, 'until', to_char(ended.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')));
    end loop;
  end
  $$;

  -- The only way in which rows go: after 400 days.
  create function journal_drop(p_most int) returns bigint language sql ${asOwner} as $$
    with gone as (
      delete from journal j using (
        select user_id, number from journal where at < now() - interval '400 days' order by at limit p_most
      ) old
      where j.user_id = old.user_id and j.number = old.number
      returning 1
    )
    select count(*) from gone
  $$;
`;

/**
 * Data with a limited life lies in partitions by time, which are dropped whole: deletes would leave dead rows for
 * everybody to step over. Workers own no table, so they make and drop partitions by two functions.
 */
const partitions = `
  -- The partitions of a table: kind, name, begin and end of their time, and whether they are half detached.
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
  $$;

  -- Fills every gap between two moments, also before partitions that exist, because PostgreSQL's clock may jump. These
  -- stay as they are, so that a step may change. A table that was detached and not yet dropped is attached again. All
  -- workers may notice a gap at once, so they wait longer than for rows. Attaching a finished table locks out nobody.
  -- Replies without a key were the largest part of what a write left in the write-ahead log, and end before any vacuum.
  create function make_partitions(parent text, wanted text, step interval, since timestamptz, until timestamptz)
  returns void language plpgsql set timezone = 'UTC' set lock_timeout = '2s' ${asOwner} as $$
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
  $$;

  -- It locks the whole table, so it waits briefly for readers and then gives way. An archive of the log that was
  -- interrupted leaves a partition half detached.
  create function drop_partition(parent text, leaf text) returns void language plpgsql
  ${asOwner} set lock_timeout = '50ms' as $$
  declare
    half boolean := (select p.detaching from list_partitions(parent) p where p.name = leaf);
  begin
    if half is null or parent not in ('inbox', 'action_log', 'action_images') then
      raise exception '% is no partition by time of %', leaf, parent;
    end if;
    if half then execute format('alter table %I detach partition %I finalize', parent, leaf); end if;
    execute format('drop table %I', leaf);
  end
  $$;

  -- Upkeep (workers/upkeep/partitions.ts) goes on from these.
  select make_partitions('inbox', 'keyless', '30 minutes', now() - interval '45 minutes', now() + interval '2 hours');
  select make_partitions('inbox', 'keyed', '12 hours', now() - interval '24 hours', now() + interval '24 hours');
  select make_partitions('action_log', 'all', '1 month', now(), now() + interval '2 months');
  select make_partitions('action_images', 'all', '1 day', now() - interval '1 day', now() + interval '2 days');
`;

const ownedTables = `
  account_bytes action_images action_log approvals calendar_feeds categories deletions habit_amounts habit_completions habits
  import_keys import_parts inbox journal journal_counts push_subscriptions reminder_deliveries reminders todos
  token_rules users webhook_deliveries webhooks works`;

/**
 * Row-level security: a front door's statement sees the rows of the users that it names
 * (`shared/db/statements/statements.ts`), whatever its conditions. Other processes see all.
 */
const rowSecurity = `
  -- True for workers and the identity provider. "Immutable" lets the planner fold it, so that their plans are those of
  -- tables without policies. It does not change within a plan's life, because PostgreSQL plans again for another role.
  create function sees_all() returns boolean language sql immutable as $$
    select has_table_privilege('public.todos', 'insert') or has_schema_privilege('identity', 'usage')
  $$;

  -- The one read before a user is known.
  create function feed_owner(hash text) returns text language sql stable ${asOwner} as $$
    select user_id from calendar_feeds where secret_hash = hash
  $$;

  ${ownedTables
    .trim()
    .split(/\s+/)
    .map((table) => showOwnRows(table))
    .join("\n")}
  ${showOwnRows("deleted_users", "id")}
`;
