import { Migration } from "@mikro-orm/migrations";

/**
 * The account journal. Processes add rows by `journal_append` alone, which runs with the rights of the owner of the
 * tables, and have no right to change them. `notices` are the messages to people about it.
 */
export class Journal extends Migration {
  override up(): void {
    this.addSql(`
      create table journal (
        user_id text not null,
        number bigint not null generated always as identity,
        at timestamptz not null default clock_timestamp(),
        kind text not null,
        details jsonb not null,
        primary key (user_id, number)
      )`);
    this.addSql(`create index journal_old on journal (at)`);
    // The number of events of each kind in a period that goes on.
    this.addSql(`
      create table journal_counts (
        user_id text not null,
        kind text not null,
        subject text not null,
        until timestamptz not null,
        most bigint,
        times bigint not null,
        details jsonb not null,
        primary key (user_id, kind, subject, until)
      )`);
    this.addSql(`create index journal_counts_ended on journal_counts (until)`);
    for (const sql of [append, close, drop]) this.addSql(sql);
    this.addSql(`
      create table identity.notices (
        id uuid primary key default gen_random_uuid(),
        account_id text not null,
        kind text not null,
        details jsonb not null,
        email text,
        thing text not null,
        at timestamptz not null default now(),
        next_at timestamptz not null default now(),
        attempts int not null default 0,
        mailing uuid,
        sent_at timestamptz,
        used_at timestamptz
      )`);
    // A message about an account by the channel of reminders; the only one that is not made from other rows.
    this.addSql(`alter table reminder_deliveries add said jsonb`);
    this.addSql(`create index notices_waiting on identity.notices (next_at) where sent_at is null`);
  }
}

const asOwner = "security definer set search_path = public, pg_temp";
const lock = (user: string) => `perform pg_advisory_xact_lock(hashtext('kept.journal'), hashtext(${user}))`;

/**
 * Adds a row, unless the kind has `p_most` rows in this period; then it is only counted, and one row tells the number
 * when the period has ended. The account is locked first, so that two transactions never wait in a circle.
 */
const append = `
  create function journal_append(
    p_user text, p_kind text, p_details jsonb, p_most bigint, p_period text,
    p_subject text default '', p_times bigint default 1)
  returns void language plpgsql ${asOwner} as $$
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
    end if;
  end
  $$`;

/** Tells what was only counted in periods that have ended. */
const close = `
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
  $$`;

/** The only way in which rows go: after 400 days. */
const drop = `
  create function journal_drop(p_most int) returns bigint language sql ${asOwner} as $$
    with gone as (
      delete from journal j using (
        select user_id, number from journal where at < now() - interval '400 days' order by at limit p_most
      ) old
      where j.user_id = old.user_id and j.number = old.number
      returning 1
    )
    select count(*) from gone
  $$`;
