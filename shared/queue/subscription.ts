import { connectBlocking } from "./connections.ts";

/** A front door's subscription to its replies. */
type Subscription = Readonly<{
  /** False while a reply would be lost. */
  isListening(): boolean;
  close(): void;
}>;

type SubscriptionEvents = Readonly<{
  onMessage(text: string): void;
  /** Called when the connection is ready, for the first time or again. */
  onListening(): void;
}>;

const heartbeatMs = 1_000;
const pongMs = 900;
const startMs = 1_500;

/**
 * Listens to a channel. A connection that only listens does not notice that its path died without closing (a load
 * balancer forgot it, a host was suspended). So it pings each second and reconnects without an answer.
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
