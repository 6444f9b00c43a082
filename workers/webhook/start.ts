import { createTurns } from "../../shared/process/turns.ts";
import { subscribe } from "../../shared/queue/connections.ts";
import {
  changedChannel,
  readUsers,
  sayWatchedMs,
  watchedChannel,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { now } from "../reminder/store.ts";
import { openEventPoster, type WebhookKey } from "./deliver.ts";

const tickEveryMs = 200;
const listEveryMs = 1_000;
/** A lost notice delays a change by this time at most. */
const lookAtAllMs = 30_000;
const stopWithinMs = 8_000;
/** An account gets two turns at a time, and a receiver that does not answer makes room for others after a second. */
const turnsOf = { atOnce: 64, atOnceOfKey: 2, countsForMs: 1_000 };

/** Each note of results leaves held_until after leased_until; a poster that died has noted nothing. */
const list = `
  select user_id, id, (failing_since is null or held_until <= ${now}) and (
      (leased_until > held_until and leased_until <= ${now}) or coalesce((
        select true from webhook_deliveries d
        where d.user_id = w.user_id and d.webhook_id = w.id and d.finished_at is null limit 1
      ), false)
    ) as "isWaiting"
  from webhooks w where is_active`;

type Listed = WebhookKey & Readonly<{ isWaiting: boolean }>;

/** Starts this process's share of webhooks. Notices of changes come as they do to doors with open pages. */
export async function startWebhooks(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { config, database, publisher, travel } = context;
  const { redisUrl, queuePrefix } = config;
  const changed = new Set<string>();
  const posting = createPosting(context, changed);
  let webhooks = new Map<string, Listed[]>();
  let listedAt = Number.NEGATIVE_INFINITY;
  let saidAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const subscription = await subscribe(redisUrl, changedChannel(queuePrefix), {
    onMessage(text) {
      for (const userId of readUsers(text)) if (webhooks.has(userId)) changed.add(userId);
    },
  });

  /** Looks at webhooks that are new here, because no notice reached them, and at times at all. */
  async function listAll(): Promise<void> {
    listedAt = performance.now();
    const known = webhooks;
    const isNew = ({ user_id, id }: WebhookKey) => !known.get(user_id)?.some((webhook) => webhook.id === id);
    const { rows } = await database.pool.query<Listed>(list, [travel()]);
    webhooks = Map.groupBy(rows, ({ user_id }) => user_id);
    const isAll = listedAt - lookedAt >= lookAtAllMs;
    if (isAll) lookedAt = listedAt;
    for (const webhook of rows)
      if (isAll || webhook.isWaiting || isNew(webhook)) changed.add(webhook.user_id);
    const hasNew = [...webhooks.keys()].some((userId) => !known.has(userId));
    if (!hasNew && listedAt - saidAt < sayWatchedMs) return;
    saidAt = listedAt;
    await publisher.publish(watchedChannel(queuePrefix), writeUsers(webhooks.keys())).catch(() => {});
  }

  async function run(): Promise<void> {
    if (performance.now() - listedAt >= listEveryMs) await listAll();
    const looked = [...changed].flatMap((userId) => webhooks.get(userId) ?? []);
    changed.clear();
    for (const webhook of looked) posting.begin(webhook);
  }

  const schedule = startSchedule(context, { name: "webhooks", everyMs: tickEveryMs, run });
  return {
    async stop() {
      await schedule.stop();
      subscription.close();
      await posting.stop();
    },
  };
}

/** @param changed gets users with changes that no poster may see yet */
function createPosting(context: WorkerContext, changed: Set<string>) {
  const poster = openEventPoster(context);
  const turns = createTurns(turnsOf);
  /** The ids of webhooks that are being posted to here, and of those to look at again afterwards. */
  const [underWay, again] = [new Set<string>(), new Set<string>()];
  let isStopping = false;

  async function postAll({ user_id, id }: WebhookKey): Promise<void> {
    for (let isMore = true; isMore && !isStopping; ) {
      again.delete(id);
      const next = () => poster.postNext({ user_id, id });
      const left = await turns.run(user_id, next, () => "later" as const);
      if (left === "later") changed.add(user_id);
      isMore = left === "more" || again.has(id);
    }
  }

  return {
    begin(webhook: WebhookKey): void {
      const { id } = webhook;
      if (underWay.has(id)) return void again.add(id);
      underWay.add(id);
      // The end of its lease brings a webhook back whose results could not be noted.
      postAll(webhook)
        .catch((error) => context.log.warn({ webhook: id, reason: String(error) }, "webhook not posted to"))
        .finally(() => underWay.delete(id));
    },
    async stop(): Promise<void> {
      isStopping = true;
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      poster.close();
    },
  };
}
