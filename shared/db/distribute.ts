import type { Pool } from "pg";

/**
 * The tables whose rows belong to a user, each after those that it refers to. All rows of a user are on one server.
 * Everything else stays where front doors and workers connect: identity, sequences, closed accounts, and the addresses of
 * calendar feeds, which are looked up before their user is known.
 */
const tables = [
  "users",
  "categories",
  "habits",
  "habit_completions",
  "todos",
  "reminders",
  "reminder_deliveries",
  "deletions",
  "action_log",
  "action_images",
  "inbox",
  "import_parts",
  "import_keys",
  "byte_ledger",
  "works",
] as const;

/** Spreads the tables over the servers of a Citus cluster, with the rows that they have. What is spread stays as it is. */
export async function distribute(pool: Pick<Pool, "query">): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from unnest($1::text[]) with ordinality t(name, place)
     where not exists (select from pg_dist_partition p where p.logicalrelid = name::regclass) order by place`,
    [tables],
  );
  const [first] = tables;
  if (rows.some(({ name }) => name === first)) await pool.query(prepare);
  await pool.query(logKeylessReplies);
  for (const { name } of rows)
    await pool.query("select create_distributed_table($1::regclass, 'user_id', colocate_with => $2)", [
      name,
      name === first ? "none" : first,
    ]);
}

/**
 * Takes away what Citus does not take: triggers, foreign keys that set a part of their columns to null, and defaults that
 * differ from server to server. The workers' statements for Citus empty a category by themselves, and it has no copies
 * that would have to be told of changes.
 */
const prepare = `
  do $$
  declare
    name text;
    foreign_key record;
  begin
    drop trigger leave_category on categories;
    drop trigger stamp_change on users;
    drop trigger stamp_change on reminders;
    foreach name in array '{users,categories,habits,todos,reminders}'::text[] loop
      execute format('alter table %I alter changed_xid set default ''0''', name);
    end loop;
    update deletions set changed_xid = '0';
    for foreign_key in select conname, conrelid::regclass::text as child from pg_constraint
      where contype = 'f' and confrelid = 'categories'::regclass
    loop
      execute format('alter table %I drop constraint %I, add foreign key (user_id, category_id) references categories',
        foreign_key.child, foreign_key.conname);
    end loop;
    for name in select p.name from list_partitions('inbox') p where p.kind = 'keyless' loop
      execute format('alter table %I set logged', name);
    end loop;
  end
  $$`;

/**
 * Replies without a key are logged here: a server that crashed would lose its part of them, and nothing on the others
 * would tell that some may be missing.
 */
const logKeylessReplies = `
  do $$
  begin
    execute replace(
      pg_get_functiondef('make_partitions(text, text, interval, timestamptz, timestamptz)'::regprocedure),
      '''unlogged''', '''''');
  end
  $$`;
