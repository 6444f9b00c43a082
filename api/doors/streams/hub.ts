import type { Config } from "../../../shared/process/config.ts";
import { type RedisConnection, subscribe } from "../../../shared/queue/connections.ts";
import {
  changedChannel,
  readUsers,
  sayWatchedMs,
  watchedChannel,
  writeUsers,
} from "../../../shared/queue/watched-users.ts";
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

/** The most streams of a front door; and of one user, pages and clients each. */
const maxStreams = 1_000;
const maxStreamsOfUser = 8;
/** Clients of one network leave room for others, whatever number of accounts they have. */
const maxStreamsOfNetwork = 200;

/** The streams of one front door. It listens to Redis once for all of them. */
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
      const makeRoom = stream.network === undefined ? makeRoomForPage : hasRoomForClient(stream.network);
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

type Users = ReadonlyMap<string, UserWatch>;

const isPage = ({ network }: LiveStream): boolean => network === undefined;

/**
 * Makes room for a user's newest page by ending their oldest one. If this door is full, the user with the most streams
 * loses one; nobody loses the only one.
 * @returns true if there is room
 */
function makeRoomForPage(users: Users, userId: string, isFull: boolean): boolean {
  const pages = [...(users.get(userId)?.streams ?? [])].filter(isPage);
  if (pages.length >= maxStreamsOfUser) return endFirst(pages);
  if (!isFull) return true;
  const busiest = [...users.values()].reduce((a, b) => (b.streams.size > a.streams.size ? b : a));
  return busiest.streams.size > 1 && endFirst([...busiest.streams]);
}

function endFirst([first]: readonly LiveStream[]): boolean {
  first?.end("goodbye");
  return first !== undefined;
}

/** A client that is turned away comes again by itself, so it ends nobody's stream. */
const hasRoomForClient = (network: string) => (users: Users, userId: string, isFull: boolean) => {
  const own = [...(users.get(userId)?.streams ?? [])].filter((stream) => !isPage(stream));
  if (isFull || own.length >= maxStreamsOfUser) return false;
  const all = [...users.values()].flatMap(({ streams }) => [...streams]);
  return all.filter((stream) => stream.network === network).length < maxStreamsOfNetwork;
};
