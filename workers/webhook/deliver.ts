import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createTurns } from "../../shared/process/turns.ts";
import { type ChannelResult, sendFailed } from "../reminder/channels/channel.ts";
import { openWebhookPoster } from "../reminder/channels/webhook.ts";
import { createSlowTargets } from "../reminder/slow-targets.ts";
import type { ReminderStore } from "../reminder/store.ts";
import { type Attempt, type LeasedPost, leasePosts, mostOfWebhook, writeAttempt } from "./lease.ts";
import { eventOf } from "./payload.ts";

type DelivererContext = Readonly<{
  database: ReminderStore["database"];
  config: Pick<Config, "webhookAllowLoopback" | "defaultTimeZone" | "baseUrl">;
  log: Log;
  travel(): string;
  onSent(userId: string): void;
}>;

type Deliverer = Readonly<{
  /** Posts what is due, as far as there is room. */
  deliver(): Promise<void>;
  stop(): Promise<void>;
}>;

const maxUnderWay = 200;
const stopWithinMs = 8_000;
const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
/** The waits after failed attempts: twelve attempts in a day. */
const waits = [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes, hours, 2 * hours].concat(
  Array(5).fill(4 * hours),
);
const busyAgainMs = 10_000;

export function createWebhookDeliverer(context: DelivererContext): Deliverer {
  const { database, config, log, travel, onSent } = context;
  const poster = openWebhookPoster(config.webhookAllowLoopback);
  const sendTo = createSlowTargets();
  const underWay = new Set<LeasedPost>();
  /** Results that come during a look share the next one. */
  const looks = createTurns({ atOnce: 1, mostWaiting: 1 });
  let isStopping = false;

  async function post(delivery: LeasedPost): Promise<ChannelResult> {
    const { url, secret, id, now_ms } = delivery;
    const event = await eventOf({ database, config }, delivery);
    return poster
      .post({ url, secret, id, at: new Date(now_ms) }, event)
      .catch((error) => sendFailed("It could not be sent, because of a fault here.", false, String(error)));
  }

  async function send(delivery: LeasedPost): Promise<void> {
    const result = await sendTo(new URL(delivery.url).host, () => post(delivery));
    await writeAttempt({ database, travel: travel() }, delivery, attemptOf(delivery, result));
    onSent(delivery.user_id);
  }

  const deliver = () => looks.run("", takeSome, () => {});

  async function takeSome(): Promise<void> {
    const room = maxUnderWay - underWay.size;
    if (room <= 0 || isStopping) return;
    const ofWebhooks = [...Map.groupBy(underWay, ({ webhook_id }) => webhook_id)];
    const busy = ofWebhooks.flatMap(([webhook, own]) => (own.length >= mostOfWebhook ? webhook : []));
    for (const delivery of await leasePosts({ database, travel: travel() }, busy, room)) {
      underWay.add(delivery);
      // The end of its lease brings a delivery back whose result could not be written.
      send(delivery)
        .catch((error) =>
          log.warn({ delivery: delivery.id, reason: String(error) }, "webhook delivery not marked"),
        )
        .finally(() => underWay.delete(delivery))
        .then(deliver)
        .catch(() => {});
    }
  }

  return {
    deliver,
    async stop() {
      isStopping = true;
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      poster.close();
    },
  };
}

function attemptOf({ attempts }: LeasedPost, result: ChannelResult | "busy"): Attempt {
  if (result === "busy") return { status: "postponed", error: null, againInMs: busyAgainMs };
  if (result.ok) return { status: "delivered", error: null, againInMs: 0 };
  const wait = result.final ? undefined : waits[attempts - 1];
  if (wait === undefined) return { status: "failed", error: result.reason, againInMs: 0 };
  return { status: "waiting", error: result.reason, againInMs: wait * (1 + Math.random() / 5) };
}
