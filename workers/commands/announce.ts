import { subscribe } from "../../shared/queue/client/subscription.ts";
import {
  changedChannel,
  readUsers,
  watchedChannel,
  watchedForMs,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import type { WorkerContext } from "../context.ts";

type Announcing = Readonly<{
  /** Says that something was committed for those users of a batch whose pages are open. */
  announce(batch: Readonly<{ commands: readonly Readonly<{ userId: string }>[] }>): void;
  close(): void;
}>;

/** Listens for whose pages are open, so that nothing is sent about anybody else. */
export async function openAnnouncing({
  config: { redisUrl, queuePrefix },
  publisher,
}: Pick<WorkerContext, "config" | "publisher">): Promise<Announcing> {
  /** Until when (of performance.now()) a user counts as watched. */
  const watched = new Map<string, number>();
  const subscription = await subscribe(redisUrl, watchedChannel(queuePrefix), {
    onMessage(text) {
      const now = performance.now();
      for (const userId of readUsers(text)) watched.set(userId, now + watchedForMs);
      for (const [userId, until] of watched) if (until < now) watched.delete(userId);
    },
    onListening() {},
  });
  return {
    announce({ commands }) {
      if (watched.size === 0) return;
      const now = performance.now();
      const isWatched = (userId: string) => (watched.get(userId) ?? 0) > now;
      const users = new Set(commands.flatMap(({ userId }) => (isWatched(userId) ? userId : [])));
      // Sent in the same moment as the reply, with which it travels to Redis.
      if (users.size > 0) publisher.publish(changedChannel(queuePrefix), writeUsers(users)).catch(() => {});
    },
    close: subscription.close,
  };
}
