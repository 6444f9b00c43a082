import { changeCursor } from "../../shared/contracts/change/contracts.ts";
import type { WebhookRow } from "../../shared/db/entities.ts";
import { readChangedThings } from "../../shared/db/reads/change-places.ts";
import type { Statement } from "../../shared/db/reads/statement.ts";
import { subscribe } from "../../shared/queue/connections.ts";
import {
  changedChannel,
  readUsers,
  sayWatchedMs,
  watchedChannel,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { commitTogether, now, type ReminderStore } from "../reminder/store.ts";
import { createWebhookDeliverer } from "./deliver.ts";

const tickEveryMs = 200;
const listEveryMs = 1_000;
/** A lost notice delays a change by this time at most. */
const lookAtAllMs = 30_000;

/**
 * Starts this process's share of webhooks: notices of changes lead to deliveries, and deliveries are posted. Notices
 * come as they do to doors with open pages.
 */
export async function startWebhooks(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { config, database, publisher, travel, log } = context;
  const { redisUrl, queuePrefix } = config;
  const changed = new Set<string>();
  /** Users with a webhook that takes no more until a delivery has ended. */
  const full = new Set<string>();
  let users: ReadonlySet<string> = new Set();
  let listedAt = Number.NEGATIVE_INFINITY;
  let saidAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const deliverer = createWebhookDeliverer({
    ...{ database, config, log, travel },
    onSent(userId) {
      if (full.delete(userId)) changed.add(userId);
    },
  });
  const subscription = await subscribe(redisUrl, changedChannel(queuePrefix), {
    onMessage(text) {
      for (const userId of readUsers(text)) if (users.has(userId)) changed.add(userId);
    },
    onListening() {},
  });

  /** Looks at users who are new here, because their changes made no notice, and at times at all. */
  async function listUsers(): Promise<void> {
    listedAt = performance.now();
    const known = users;
    users = new Set(await activeUsers());
    const news = [...users].filter((userId) => !known.has(userId));
    const isAll = listedAt - lookedAt >= lookAtAllMs;
    if (isAll) lookedAt = listedAt;
    for (const userId of isAll ? users : news) changed.add(userId);
    if (news.length === 0 && listedAt - saidAt < sayWatchedMs) return;
    saidAt = listedAt;
    await publisher.publish(watchedChannel(queuePrefix), writeUsers(users)).catch(() => {});
  }

  async function activeUsers(): Promise<string[]> {
    const { rows } = await database.pool.query<{ user_id: string }>(
      "select distinct user_id from webhooks where is_active",
    );
    return rows.map(({ user_id }) => user_id);
  }

  async function run(): Promise<void> {
    if (performance.now() - listedAt >= listEveryMs) await listUsers();
    for (const userId of [...changed]) {
      changed.delete(userId);
      const { isMore, isFull } = await feedUser(context, userId);
      if (isMore) changed.add(userId);
      if (isFull) full.add(userId);
    }
    if (users.size > 0) await deliverer.deliver();
  }

  const schedule = startSchedule(context, { name: "webhooks", everyMs: tickEveryMs, run });
  return {
    async stop() {
      await schedule.stop();
      subscription.close();
      await deliverer.stop();
    },
  };
}

type Query = Parameters<Parameters<typeof commitTogether>[1]>[0];
type FedWebhook = Pick<WebhookRow, "id" | "events"> & {
  cursor: string | null;
  begun_xid: string;
  generation: string;
  is_full: boolean;
};

/** A webhook with this many deliveries that wait takes no more: its changes wait in the log of transactions. */
const mostWaiting = 500;

/** Workers take turns. The lock also keeps a webhook that is being deleted from new deliveries. */
const lockOne = `
  select w.id, w.events, w.cursor, w.begun_xid::text, m.generation, exists (
    select from webhook_deliveries d
    where d.user_id = w.user_id and d.webhook_id = w.id and d.finished_at is null offset ${mostWaiting - 1}
  ) as is_full
  from webhooks w, change_marks() m
  where w.user_id = $1 and w.is_active and ($2::uuid is null or w.id > $2) order by w.id limit 1
  for update of w`;

/** The newest deliveries are kept for the list; older finished ones make room. */
const mostKept = 500;

const keepNewest = `
  delete from webhook_deliveries where user_id = $1 and id in (
    select id from webhook_deliveries
    where user_id = $1 and webhook_id = $2 and finished_at is not null
    order by created_at desc offset ${mostKept})`;

/**
 * A thing that waits or is being posted gets another id, so that the result of an earlier state does not end it. It
 * keeps the time of its next attempt.
 */
const write = `
  with things as (
    select * from unnest($4::text[], $5::bigint[]) t(subject, thing_id)
  ), renewed as (
    update webhook_deliveries d set id = gen_random_uuid(), status = 'waiting', attempts = 0
    from things t
    where d.user_id = $2 and d.webhook_id = $3 and d.subject = t.subject and d.thing_id = t.thing_id
      and d.finished_at is null
    returning d.subject, d.thing_id
  )
  insert into webhook_deliveries
    (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at)
  select $2, gen_random_uuid(), $3, t.subject, t.thing_id, 'waiting', 0, ${now}, ${now}
  from things t where (t.subject, t.thing_id) not in (select subject, thing_id from renewed)`;

const moveOn = "update webhooks set cursor = $3 where user_id = $1 and id = $2";

type Fed = Readonly<{
  /** There are more changes, at once or when an older transaction has ended. */
  isMore: boolean;
  /** More may come once a delivery has ended. */
  isFull: boolean;
}>;

/**
 * Takes final changes of a user from the log of transactions into the deliveries of their webhooks. Deliveries and
 * cursor commit together, so a kill loses nothing.
 */
export async function feedUser(store: ReminderStore, userId: string): Promise<Fed> {
  const all = { isMore: false, isFull: false };
  for (let last: string | undefined; ; ) {
    const fed = await commitTogether(store, (query) => feedNext(store, query, userId, last));
    if (!fed) return all;
    last = fed.id;
    all.isMore ||= fed.isMore;
    all.isFull ||= fed.isFull;
  }
}

type FedOne = Fed & Readonly<{ id: string }>;

async function feedNext(
  store: ReminderStore,
  query: Query,
  userId: string,
  after: string | undefined,
): Promise<FedOne | undefined> {
  const [webhook] = await query<FedWebhook>(lockOne, [userId, after ?? null]);
  if (!webhook) return undefined;
  const { id, events } = webhook;
  if (webhook.is_full) return { id, isMore: false, isFull: true };
  const rows = <Row extends object>(statement: Statement<Row>) => {
    const { text, values } = statement.of(userId);
    return query<Row>(text, values);
  };
  const found =
    (await readChangedThings(rows, { cursor: webhook.cursor ?? beginningOf(webhook), isFinal: true })) ??
    // The numbering of transactions began anew, so everything is posted again.
    (await readChangedThings(rows, { isFinal: true }));
  if (!found) throw new Error("A beginning without a cursor is never outdated.");
  const things = found.things.filter(({ kind }) => events.includes(`${kind}.*`));
  if (things.length > 0) {
    const [kinds, ids] = [things.map(({ kind }) => kind), things.map((thing) => thing.id)];
    await query(write, [store.travel(), userId, id, kinds, ids]);
    await query(keepNewest, [userId, id]);
  }
  await query(moveOn, [userId, id, found.next_cursor]);
  return { id, isMore: found.has_more, isFull: false };
}

/** A webhook begins with the transaction that made it. */
function beginningOf({ begun_xid, generation }: FedWebhook): string {
  const since = BigInt(begun_xid);
  return changeCursor({ generation, since, place: { xid: since, source: 0, group: 0, id: 0 } });
}
