import type { Config } from "../../shared/process/config.ts";
import type { RedisConnection } from "../../shared/queue/connections.ts";
import { subscribe } from "../../shared/queue/subscription.ts";
import {
  changedChannel,
  readUsers,
  sayWatchedMs,
  watchedChannel,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import type { UserState } from "./version.ts";
import { type LiveStream, type UserWatch, watchUser } from "./watch-user.ts";

export type LiveHub = Readonly<{
  /** @returns a function to leave; undefined when there is no room for another stream */
  join(userId: string, stream: LiveStream): (() => void) | undefined;
  /** Ends all streams and takes no more; their pages reconnect to another door. */
  endAll(): void;
  close(): void;
}>;

type Dependencies = Readonly<{
  config: Pick<Config, "redisUrl" | "queuePrefix">;
  /** Announces the users whose pages are open here. */
  redis: RedisConnection;
  readState(userId: string): Promise<UserState | undefined>;
}>;

/** The most streams of a front door, and of one user. */
const maxStreams = 1_000;
const maxStreamsOfUser = 8;

/** The live pages of one front door. It listens to Redis once for all of them. */
export async function openLiveHub({ config, redis, readState }: Dependencies): Promise<LiveHub> {
  const { redisUrl, queuePrefix } = config;
  const users = new Map<string, UserWatch>();
  let count = 0;
  let isOpen = true;

  const subscription = await subscribe(redisUrl, changedChannel(queuePrefix), {
    onMessage(text) {
      for (const userId of readUsers(text)) users.get(userId)?.look();
    },
    onListening() {},
  });

  function say(userIds: Iterable<string>): void {
    redis.publish(watchedChannel(queuePrefix), writeUsers(userIds)).catch(() => {});
  }
  const saying = setInterval(() => users.size > 0 && say(users.keys()), sayWatchedMs);

  function watch(userId: string): UserWatch {
    const known = users.get(userId);
    if (known) return known;
    const made = watchUser(() => readState(userId));
    users.set(userId, made);
    say([userId]);
    return made;
  }

  function leave(userId: string, stream: LiveStream): void {
    const user = users.get(userId);
    if (!user?.streams.delete(stream)) return;
    count -= 1;
    if (user.streams.size > 0) return;
    user.close();
    users.delete(userId);
  }

  const endAll = () => {
    isOpen = false;
    for (const { streams } of users.values()) for (const stream of streams) stream.end();
  };

  return {
    join(userId, stream) {
      if (!isOpen || !makeRoom(users, userId, count >= maxStreams)) return undefined;
      const user = watch(userId);
      user.streams.add(stream);
      count += 1;
      user.look();
      return () => leave(userId, stream);
    },
    endAll,
    close() {
      endAll();
      clearInterval(saying);
      subscription.close();
    },
  };
}

/**
 * Makes room for a user's newest page by ending their oldest one. If this door is full, the user with the most pages
 * loses one; nobody loses the only one.
 * @returns true if there is room
 */
function makeRoom(users: ReadonlyMap<string, UserWatch>, userId: string, isFull: boolean): boolean {
  const own = users.get(userId);
  if (own && own.streams.size >= maxStreamsOfUser) return endOldest(own);
  if (!isFull) return true;
  const busiest = [...users.values()].reduce((a, b) => (b.streams.size > a.streams.size ? b : a));
  return busiest.streams.size > 1 && endOldest(busiest);
}

function endOldest({ streams }: UserWatch): boolean {
  const [oldest] = streams;
  oldest?.end("goodbye");
  return oldest !== undefined;
}
