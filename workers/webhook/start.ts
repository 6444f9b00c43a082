import { subscribe } from "../../shared/queue/connections.ts";
import {
  changedChannel,
  readUsers,
  sayWatchedMs,
  watchedChannel,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import type { WorkerContext } from "../process/context.ts";
import { startSchedule } from "../process/schedule.ts";
import { createWebhookDeliverer } from "./deliver.ts";
import { feedUser } from "./feed.ts";

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
      const { isMore, isFull } = await feedUser({ database, travel: travel() }, userId);
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
