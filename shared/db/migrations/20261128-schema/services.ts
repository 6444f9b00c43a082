/**
 * The tables of what the service does for a person's things and around them: webhooks, replies, long work, imports, the
 * account journal and upkeep; then those of the built-in identity provider.
 */
export const serviceTables = `
  -- The place at which a new webhook begins to read changes: its own transaction. The first part is PostgreSQL's timeline:
  -- a failover and a restore change it, and a crash does not.
  create function webhook_cursor() returns text language sql volatile as $$
    select concat_ws('.', lower(left(pg_walfile_name(pg_current_wal_lsn()), 8)),
      pg_current_xact_id(), pg_current_xact_id(), '0.0.0')
  $$;

  -- A row is an address to which a user's changes are posted. Its poster reads them from cursor on. made_by is the token that
  -- chose the address, null for the person. While it fails, nothing is posted before held_until.
  create table webhooks (
    user_id text not null,
    id uuid not null,
    url text not null,
    secret text not null,
    events text[] not null,
    made_by text,
    is_active boolean not null,
    failing_since timestamptz,
    disabled_at timestamptz,
    cursor text not null default webhook_cursor(),
    leased_until timestamptz not null default now(),
    held_until timestamptz not null default now(),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (user_id, id)
  );
  create index webhooks_active on webhooks (user_id, id) where is_active;

  -- A row is a post that was tried, or is asked for: a due reminder, or one to be sent again. Upkeep deletes it three days
  -- after it was posted or given up.
  create table webhook_deliveries (
    user_id text not null,
    id uuid not null,
    webhook_id uuid not null,
    subject text not null,
    thing_id bigint not null,
    status text not null,
    attempts int not null,
    error text,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    primary key (user_id, id)
  );
  create index webhook_deliveries_waiting on webhook_deliveries (user_id, webhook_id, created_at)
    where finished_at is null;
  create index webhook_deliveries_listed on webhook_deliveries (user_id, webhook_id, created_at);
  create index webhook_deliveries_old on webhook_deliveries (finished_at);

  -- Another address or other events get nothing of what waited, and no poster may go on with the former ones.
  create function drop_waiting_posts() returns trigger language plpgsql as $$
  begin
    delete from webhook_deliveries d
    where d.user_id = new.user_id and d.webhook_id = new.id and d.finished_at is null;
    new.cursor := webhook_cursor();
    new.leased_until := now();
    return new;
  end
  $$;
  create trigger drop_waiting_posts before update on webhooks for each row
    when ((old.url, old.events) is distinct from (new.url, new.events)) execute function drop_waiting_posts();

  -- A row is the reply to a command, for its repeats. Its partition is dropped after a day if the command had a key, and
  -- else after minutes. The primary key (user_id, command_id) is each partition's own, because a repeat meets it there.
  create table inbox (
    user_id text not null,
    command_id uuid not null,
    fingerprint text not null,
    reply text not null,
    keyed boolean not null,
    created_at timestamptz not null
  ) partition by range (keyed, created_at);

  -- The one row says since when replies without a key are complete. A crash of PostgreSQL empties their unlogged
  -- partitions and this table, so an empty table tells workers that replies may be missing.
  create unlogged table keyless_replies (
    only_row boolean primary key default true check (only_row),
    complete_since timestamptz not null
  );
  insert into keyless_replies (complete_since) values ('epoch');

  -- A row is long work that a command began, and how far it is, so that any worker carries it on after a crash. Upkeep
  -- deletes it a day after its end.
  create table works (
    user_id text not null,
    id uuid not null,
    name text not null,
    input text not null,
    cursor text,
    done int not null,
    total int not null,
    tries int not null default 0,
    outcome text,
    created_at timestamptz not null,
    ended_at timestamptz,
    primary key (user_id, id)
  );
  create index works_open on works (user_id, created_at) where ended_at is null;
  create index works_ended on works (ended_at) where ended_at is not null;

  -- A row is a part of a file that waits for its person to look at the preview, for a day at most. The next file takes
  -- its place.
  create table import_parts (
    user_id text not null,
    part int not null,
    import_id uuid not null,
    kind text not null,
    keys text[] not null,
    content text not null,
    created_at timestamptz not null,
    primary key (user_id, part)
  );
  create index import_parts_by_time on import_parts (created_at);

  -- A row says which thing of a file became which thing here, by a hash, so that the same file makes nothing twice.
  create table import_keys (
    user_id text not null,
    key text not null,
    kind smallint not null,
    id bigint not null,
    created_at timestamptz not null,
    primary key (user_id, key)
  );

  -- A row is the secret address of a person's calendar feed, as a hash, by which the user is looked up.
  create table calendar_feeds (
    user_id text primary key,
    secret_hash text not null unique,
    created_at timestamptz not null
  );

  -- A row is an event of the account journal. Processes add it by journal_append alone and have no right to change it;
  -- journal_drop deletes it after 400 days, also of a closed account.
  create table journal (
    user_id text not null,
    number bigint not null generated always as identity,
    at timestamptz not null default clock_timestamp(),
    kind text not null,
    details jsonb not null,
    primary key (user_id, number)
  );
  create index journal_old on journal (at);

  -- A row counts the events of a kind in a period that goes on, until journal_close tells the number.
  create table journal_counts (
    user_id text not null,
    kind text not null,
    subject text not null,
    until timestamptz not null,
    most bigint,
    times bigint not null,
    details jsonb not null,
    primary key (user_id, kind, subject, until)
  );
  create index journal_counts_ended on journal_counts (until);

  -- The bytes that an account kept when workers counted them last.
  create table account_bytes (
    user_id text primary key,
    counted_at timestamptz not null,
    things bigint not null,
    images bigint not null,
    log bigint not null,
    kept bigint not null generated always as (things + images + log) stored
  );
  create index account_bytes_kept on account_bytes (kept);

  -- The one row is the clock that upkeep deletes by, which does not follow a jump of PostgreSQL's ahead at once.
  create table upkeep_clock (
    only_row boolean primary key default true check (only_row),
    reached timestamptz not null,
    last_run_at timestamptz not null
  );
  insert into upkeep_clock (reached, last_run_at) values (now(), now());

  -- A row is a closed account, for good, so that nothing is written for it any more.
  create table deleted_users (
    id text primary key,
    deleted_at timestamptz not null,
    emptied_at timestamptz
  );
`;

/**
 * The identity provider's own schema, which it alone reads and writes. Its upkeep deletes expired rows. Whatever hangs on
 * an account or a grant goes with it, so that revoking is one delete.
 */
export const identityTables = `
  create schema identity;

  -- A row is a key or secret that processes share, made once and replaced by rotation, or a fact such as the owner's account.
  create table identity.secrets (
    name text primary key,
    value jsonb not null,
    created_at timestamptz not null default now()
  );

  -- A row is a person's account, until it is closed.
  create table identity.accounts (
    id text primary key,
    email text not null unique,
    email_verified_at timestamptz,
    password_hash text not null,
    time_zone text,
    created_at timestamptz not null default now()
  );

  -- A row is a registered app, or the copy of a connected app's document. It goes 180 days after it was last connected.
  create table identity.clients (
    id text primary key,
    payload jsonb not null,
    used_at timestamptz not null default now()
  );

  -- A row is what one app or one personal token may do, until it ends or is revoked. People tell tokens apart by
  -- last_four, and hear once that one is about to end.
  create table identity.grants (
    id text primary key,
    account_id text not null references identity.accounts on delete cascade,
    client_id text not null,
    name text,
    last_four text,
    payload jsonb not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz not null,
    end_told_at timestamptz
  );
  create index grants_account on identity.grants (account_id, client_id);
  create index grants_ending on identity.grants (expires_at)
    where client_id = 'personal-access-tokens' and end_told_at is null;

  -- A row is a token, code, session or challenge, as a hash, until it expires. Under a grant it goes with the grant.
  create table identity.artifacts (
    kind text not null,
    id_hash bytea not null,
    payload json not null,
    account_id text references identity.accounts on delete cascade,
    grant_id text references identity.grants on delete cascade,
    uid text,
    consumed_at timestamptz,
    expires_at timestamptz not null,
    primary key (kind, id_hash)
  );
  create index artifacts_account on identity.artifacts (account_id);
  create index artifacts_grant on identity.artifacts (grant_id) where grant_id is not null;
  create index artifacts_uid on identity.artifacts (uid) where uid is not null;
  create index artifacts_expiry on identity.artifacts (expires_at);

  -- A row is the browser of a session, by the session's uid, which stays when its id changes. A session counts only while
  -- it has one.
  create table identity.session_browsers (
    session_uid text primary key,
    account_id text not null references identity.accounts on delete cascade,
    user_agent text not null
  );
  create index session_browsers_account on identity.session_browsers (account_id);

  -- A row is a passkey with which a person signs in (Web Authentication); only the public key.
  create table identity.passkeys (
    credential_id text primary key,
    account_id text not null references identity.accounts on delete cascade,
    public_key bytea not null,
    counter bigint not null,
    name text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  );
  create index passkeys_account on identity.passkeys (account_id);

  -- A row is a mailed link that makes an account.
  create table identity.sign_ups (
    token_hash bytea primary key,
    email text not null,
    password_hash text not null,
    time_zone text not null,
    next text not null,
    expires_at timestamptz not null
  );
  create index sign_ups_email on identity.sign_ups (email);

  -- A row is a mailed link that proves an account's address.
  create table identity.email_confirmations (
    token_hash bytea primary key,
    account_id text not null references identity.accounts on delete cascade,
    email text not null,
    expires_at timestamptz not null
  );
  create index email_confirmations_account on identity.email_confirmations (account_id);

  -- A row is a mailed link with which a password is chosen anew. It is valid while the account has the address it went to.
  create table identity.password_resets (
    token_hash bytea primary key,
    account_id text not null references identity.accounts on delete cascade,
    email text not null,
    expires_at timestamptz not null
  );
  create index password_resets_account on identity.password_resets (account_id);

  -- A row is a link that signs the owner in once, at the address of the provider for which it was made.
  create table identity.sign_in_links (
    account_id text primary key references identity.accounts on delete cascade,
    token_hash bytea not null unique,
    address text not null,
    expires_at timestamptz not null
  );

  -- A row is what the service must hear of an account, until it has heard it.
  create table identity.outbox (
    id bigint generated always as identity primary key,
    user_id text not null,
    name text not null,
    input jsonb not null,
    created_at timestamptz not null default now()
  );

  -- What waits for approval ends when its token ends or may do something else. A deleted account has news of its own.
  create function identity.note_end_of_token() returns trigger language plpgsql as $$
  begin
    insert into identity.outbox (user_id, name, input)
    select id, 'user.end-ways', jsonb_build_object('token_id', old.id) from identity.accounts where id = old.account_id;
    return null;
  end
  $$;
  create trigger note_end_of_token after delete on identity.grants for each row
    execute function identity.note_end_of_token();
  create trigger note_change_of_token after update on identity.grants for each row
    when (old.payload->'resources' is distinct from new.payload->'resources')
    execute function identity.note_end_of_token();

  -- A row is a message to a person about the account's journal, with the link "This was not me".
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
  );
  create index notices_waiting on identity.notices (next_at) where sent_at is null;

  -- A row counts attempts by one key, in the form of rate-limiter-flexible.
  create table identity.throttle (
    key varchar(255) primary key,
    points int not null default 0,
    expire bigint
  );
`;
