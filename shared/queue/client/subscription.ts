import { connectBlocking } from "../connections.ts";

/** One door's ear for replies. */
export type Subscription = Readonly<{
  /** False while a reply that is sent now would be lost. */
  isListening(): boolean;
  close(): void;
}>;

type SubscriptionEvents = Readonly<{
  onMessage(text: string): void;
  /** The connection stands, for the first time or again. */
  onListening(): void;
}>;

const heartbeatMs = 1_000;
const pongMs = 900;
const startMs = 1_500;

/**
 * Listens to a channel. Who only listens does not notice that the path has died without a word (a load balancer
 * that forgot it, a host that was suspended): so we ask each second, and connect anew when no answer comes.
 */
export async function subscribe(
  redisUrl: string,
  channel: string,
  { onMessage, onListening }: SubscriptionEvents,
): Promise<Subscription> {
  const redis = connectBlocking(redisUrl, pongMs);
  redis.on("message", (_channel, text) => onMessage(text));
  redis.on("ready", onListening);
  const failed = new Promise((resolve) => redis.once("close", resolve));
  await Promise.race([redis.subscribe(channel), failed, Bun.sleep(startMs)]);
  const isListening = () => redis.status === "ready";
  const heartbeat = setInterval(() => {
    if (isListening()) redis.ping().catch(() => {});
  }, heartbeatMs);
  return {
    isListening,
    close() {
      clearInterval(heartbeat);
      redis.disconnect();
    },
  };
}
