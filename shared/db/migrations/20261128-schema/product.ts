/**
 * The tables of the product. Keys lead with user_id: ownership is part of the key. Unless it says otherwise, a row is
 * written by the unit of work, and stays until its person deletes the thing or the account. Entities document the columns.
 */
export const productTables = `
  create type time_of_day as enum ('morning', 'afternoon', 'evening');

  -- A row is a person with the settings, made by the first command. The end of the row is a closed account.
  create table users (
    user_id text primary key,
    time_zone text not null,
    zone_source text not null,
    zone_claimed_at timestamptz,
    day_start_hour int not null,
    locale text,
    theme text not null default 'system',
    week_start text not null default 'language',
    session_generation int not null default 0,
    reminder_channel text not null default 'log',
    digest text not null default 'never',
    digest_at timestamptz,
    email text,
    ntfy_url text,
    ntfy_token text,
    telegram_bot_token text,
    telegram_chat_id text,
    webhook_url text,
    webhook_secret text,
    webhook_failures int not null default 0,
    webhook_failing_since timestamptz,
    webhook_disabled_at timestamptz,
    webhook_test_id uuid,
    seen_newest timestamptz,
    seen_before timestamptz,
    seen_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    changed_xid xid8 not null default pg_current_xact_id()
  );
  create index users_digest_due on users (digest_at) where digest_at is not null;

  -- Ids come one by one in the order of creation, and none is given out twice.
  create sequence categories_id_seq;
  create sequence habits_id_seq;
  create sequence todos_id_seq;

  -- A row is a category of habits and todos. In things, changed_xid is the transaction that last changed what clients
  -- see, because these numbers are known to be settled where clocks and sequences are not.
  create table categories (
    user_id text not null,
    id bigint not null,
    name text not null,
    color text not null,
    icon text,
    created_by text,
    changed_by text,
    written_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, id)
  );

  -- A row is a habit with its whole history, from which the streak is computed. A user's habits and categories are few
  -- enough to be looked through, and an index by change would cost each of their writes.
  create table habits (
    user_id text not null,
    id bigint not null,
    name text not null,
    description text,
    type text not null,
    frequency text not null,
    schedule jsonb,
    time_of_day time_of_day,
    grace_days int not null,
    target double precision,
    unit text,
    category_id bigint,
    former_category_id bigint,
    completions_count int not null,
    streak int not null,
    streak_alive_through date,
    longest_streak int not null,
    next_due date,
    recent_dates date[] not null,
    recent_amounts jsonb not null default '{}',
    paused_from date,
    paused_through date,
    free_dates datemultirange not null default '{}',
    done_from date,
    done_days varbit not null default B'',
    edits jsonb not null default '[]',
    pauses jsonb not null default '[]',
    skipped_dates date[] not null default '{}',
    neutral_dates date[] not null default '{}',
    moved_to date,
    remind_at text,
    rings_at timestamptz,
    rang_on date,
    delivery_id uuid,
    created_by text,
    changed_by text,
    written_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, id),
    foreign key (user_id, category_id) references categories on delete set null (category_id)
  ) with (fillfactor = 85);
  create index habits_category on habits (user_id, category_id) where category_id is not null;
  create index habits_ringing on habits (rings_at) where rings_at is not null;

  -- A row is a day on which a habit was done. It outlives its habit by 30 days, so that an undo finds it.
  create table habit_completions (
    user_id text not null,
    habit_id bigint not null,
    local_date date not null,
    completed_at timestamptz not null,
    note text,
    primary key (user_id, habit_id, local_date)
  );
  create index habit_completions_by_date on habit_completions (user_id, local_date);
  create index habit_completions_noted on habit_completions (user_id, habit_id, local_date) where note is not null;

  -- A row is a day's sum of a habit with a target. It is apart from the completion, so that completions stay small, and
  -- stays as long as they do.
  create table habit_amounts (
    user_id text not null,
    habit_id bigint not null,
    local_date date not null,
    amount double precision not null,
    target double precision not null,
    -- Additions from before this time were taken back with the sum that they made.
    begun_at timestamptz not null default now(),
    primary key (user_id, habit_id, local_date)
  );

  -- A row is a todo, open or done. A deleted category is taken from its todos in steps, until which they name one that is
  -- not there. The byte order of due_time is the order of the day.
  create table todos (
    user_id text not null,
    id bigint not null,
    title text not null,
    description text,
    due_date date,
    due_time text collate "C",
    time_of_day time_of_day,
    estimated_minutes int,
    context text,
    is_important boolean not null default false,
    category_id bigint,
    former_category_id bigint,
    is_completed boolean not null,
    completed_at timestamptz,
    completed_on date,
    recurrence text,
    recurrence_from text not null,
    recurrence_anchor date,
    next_todo_id bigint,
    created_by text,
    changed_by text,
    written_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, id)
  -- Entries of rows that no vacuum has seen yet cannot be counted without looking at the rows.
  ) with (fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.05);
  -- A list is a range of one index in its order, and overdue todos are counted without looking at rows.
  create index todos_by_status on todos (user_id, is_completed, due_date, due_time, time_of_day, id) include (category_id);
  -- The context itself is included because entries with an expression of it alone could not be counted.
  create index todos_by_context on todos
    (user_id, lower(ltrim(context, '@')), is_completed, due_date, due_time, time_of_day, id)
    include (context, category_id) where context is not null;
  -- With "where is_completed" the planner would take this one for lists of completed todos, which then were sorted.
  create index todos_completed_on on todos (user_id, completed_on) where completed_on is not null;
  create index todos_by_change on todos (user_id, changed_xid, id);
  -- Renaming a category changes its todos as clients see them, page after page by id.
  create index todos_category on todos (user_id, category_id, id) where category_id is not null;
  create index todos_former_category on todos (user_id, former_category_id, id) where former_category_id is not null;

  -- A row is the reminder of a todo, before and after it rang.
  create table reminders (
    user_id text not null,
    todo_id bigint not null,
    remind_at timestamptz not null,
    wall_time timestamp,
    status text not null,
    delivery_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, todo_id),
    foreign key (user_id, todo_id) references todos on delete cascade
  );
  create index reminders_due on reminders (remind_at) where status = 'scheduled' and delivery_id is null;
  create index reminders_coming on reminders (user_id, remind_at) where status = 'scheduled';
  create index reminders_by_change on reminders (user_id, changed_xid, todo_id);

  -- A row is a message on its way or sent: a reminder, a test, or news of requests, agents, webhooks or the account.
  -- Workers write it, mostly at a tick, and upkeep deletes it after 30 days.
  create table reminder_deliveries (
    user_id text not null,
    id uuid not null,
    todo_id bigint,
    habit_id bigint,
    about text,
    said jsonb,
    channel text,
    status text not null,
    attempts int not null,
    late boolean not null,
    error text,
    used_acts text not null default '',
    scheduled_at timestamptz not null,
    asked_at timestamptz,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    primary key (user_id, id)
  ) with (fillfactor = 70);
  create index reminder_deliveries_open on reminder_deliveries (next_attempt_at) where finished_at is null;
  create index reminder_deliveries_created_at on reminder_deliveries (created_at);
  create index reminder_deliveries_of_user on reminder_deliveries (user_id, created_at) where todo_id is not null;
  create index reminder_deliveries_of_habits on reminder_deliveries (user_id, created_at) where habit_id is not null;
  create index reminder_deliveries_of_digests on reminder_deliveries (user_id, scheduled_at) where about = 'digest';

  -- A row is a browser that shows a person's reminders, until it is gone or taken off.
  create table push_subscriptions (
    user_id text not null,
    id uuid not null,
    endpoint text not null,
    p256dh text not null,
    auth text not null,
    browser text not null,
    created_at timestamptz not null,
    primary key (user_id, id)
  );

  -- A row is a tombstone, written by the statement that deletes a category (kind 1), habit (2) or todo (3). Upkeep
  -- deletes it after 30 days, when nobody can take the deletion back any more.
  create table deletions (
    user_id text not null,
    changed_xid xid8 not null,
    kind smallint not null,
    id bigint not null,
    deleted_at timestamptz not null,
    primary key (user_id, changed_xid, kind, id)
  );
  create index deletions_by_id on deletions (user_id, kind, id);
  create index deletions_deleted_at on deletions (deleted_at);

  -- The one row says up to which transaction tombstones were forgotten, and of which cluster these numbers are.
  create table change_horizon (
    only_row boolean primary key default true check (only_row),
    pruned_xid xid8 not null,
    system_identifier bigint not null
  );
  insert into change_horizon (pruned_xid, system_identifier) select '0', system_identifier from pg_control_system();

  -- A row is a tool call or a change through any door, with what it changed. The index by "others" finds it by the things
  -- beside its resource. Upkeep drops its month after ACTION_LOG_DAYS.
  create table action_log (
    user_id text not null,
    called_at timestamptz not null,
    request_id uuid not null,
    door text not null default 'mcp',
    token_id text not null,
    client_name text,
    tool text not null,
    arguments text not null,
    outcome text not null,
    message text,
    resource_kind text,
    resource_id bigint,
    resource_name text,
    others text[],
    before text,
    after text,
    undone_by uuid,
    replayed boolean not null,
    calls int not null default 1,
    duration_ms double precision not null,
    primary key (user_id, called_at, request_id)
  ) partition by range (called_at);
  -- PostgreSQL uses no index on a hash for rows that a policy hides, because the hash function could reveal them.
  create index action_log_by_token_id on action_log (user_id, token_id, called_at desc);
  create index action_log_by_resource on action_log (user_id, resource_kind, resource_id, called_at desc, request_id desc)
    where resource_id is not null;
  create index action_log_of_several on action_log (user_id, called_at desc, request_id desc) where others is not null;

  -- A row is the text of an action that is too long for its row above. Upkeep drops its day after 30 days of undo.
  create table action_images (
    user_id text not null,
    called_at timestamptz not null,
    request_id uuid not null,
    before text not null,
    after text not null,
    primary key (user_id, called_at, request_id)
  ) partition by range (called_at);

  -- A row has the rules that a person set for a token, and the changes of its last day.
  create table token_rules (
    user_id text not null,
    token_id text not null,
    asks_deletions boolean not null,
    ask_above int,
    changes_per_day int,
    deletions_per_day int,
    category_id bigint,
    used_on date,
    changes_used int not null,
    deletions_used int not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (user_id, token_id)
  );

  -- A row is a token's request that waits, or waited, for its person. Upkeep deletes it after 30 days.
  create table approvals (
    user_id text not null,
    id uuid not null,
    token_id text not null,
    client_name text,
    state text not null,
    request text not null,
    before text not null,
    after text not null,
    acts text[] not null,
    rests_on text not null,
    outcome text,
    expires_at timestamptz not null,
    decided_at timestamptz,
    created_at timestamptz not null,
    primary key (user_id, id)
  );
  create index approvals_waiting on approvals (user_id, created_at) where state = 'waiting';
  create index approvals_old on approvals (created_at);
`;
