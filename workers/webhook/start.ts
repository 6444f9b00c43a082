import { createTurns } from "../../shared/process/turns.ts";
import { watchUsers } from "../../shared/queue/watched-users.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { now } from "../reminder/store.ts";
import { openEventPoster, type WebhookKey } from "./deliver.ts";

const postEveryMs = 200;
const listEveryMs = 1_000;
/** A lost notice delays a change by this time at most. */
const lookAtAllMs = 30_000;
const stopWithinMs = 8_000;
/** An account gets two turns at a time, and a receiver that does not answer makes room for others after a second. */
const turnsOf = { atOnce: 64, atOnceOfKey: 2, countsForMs: 1_000 };

/** No note of results leaves leased_until after held_until, and a poster that died has noted nothing. */
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
  const { config, database, publisher, travel, log } = context;
  const poster = openEventPoster(context);
  const turns = createTurns(turnsOf);
  let webhooks = new Map<string, Listed[]>();
  /** Webhooks to look at, and the ids of those that are being posted to here. */
  const [due, underWay] = [new Map<string, WebhookKey>(), new Set<string>()];
  let [isStopping, lookedAt] = [false, Number.NEGATIVE_INFINITY];
  const look = (some: readonly WebhookKey[] = []): void => {
    for (const webhook of some) due.set(webhook.id, webhook);
  };
  const watch = await watchUsers(config, publisher, {
    users: () => webhooks.keys(),
    onChange: (userId) => look(webhooks.get(userId)),
  });

  /** Looks at webhooks that are new here, because no notice reached them, and at times at all. */
  async function listAll(): Promise<void> {
    const known = webhooks;
    const { rows } = await database.pool.query<Listed>(list, [travel()]);
    webhooks = Map.groupBy(rows, ({ user_id }) => user_id);
    const isNew = ({ user_id, id }: WebhookKey) => !known.get(user_id)?.some((webhook) => webhook.id === id);
    const isAll = performance.now() - lookedAt >= lookAtAllMs;
    if (isAll) lookedAt = performance.now();
    look(rows.filter((webhook) => isAll || webhook.isWaiting || isNew(webhook)));
    watch.say([...webhooks.keys()].filter((userId) => !known.has(userId)));
  }

  async function postAll(webhook: WebhookKey): Promise<void> {
    underWay.add(webhook.id);
    const next = () => poster.postNext(webhook);
    try {
      let left = await turns.run(webhook.user_id, next, () => "later" as const);
      while (left === "more" && !isStopping) left = await turns.run(webhook.user_id, next, () => "later");
      if (left === "later") look([webhook]);
    } catch (error) {
      // The end of its lease brings a webhook back whose results could not be noted.
      log.warn({ webhook: webhook.id, reason: String(error) }, "webhook not posted to");
    } finally {
      underWay.delete(webhook.id);
    }
  }

  /** A notice that comes during a post may be newer than what is read for it, so it waits. */
  async function postDue(): Promise<void> {
    for (const webhook of [...due.values()].filter(({ id }) => !underWay.has(id))) {
      due.delete(webhook.id);
      void postAll(webhook);
    }
  }

  const listing = startSchedule(context, { name: "list of webhooks", everyMs: listEveryMs, run: listAll });
  const posting = startSchedule(context, { name: "webhooks", everyMs: postEveryMs, run: postDue });
  return {
    async stop() {
      isStopping = true;
      await Promise.all([listing.stop(), posting.stop()]);
      watch.close();
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      poster.close();
    },
  };
}
