import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { Redis } from "ioredis";
import type { UserState } from "../../../api/doors/streams/hub.ts";
import { openLiveHub, watchUser } from "../../../api/doors/streams/hub.ts";
import { openSink } from "../../../api/doors/streams/sink.ts";
import { changedChannel } from "../../../shared/queue/watched-users.ts";
import { useStack } from "../../harness.ts";
import { openStream, sessionOf, signedInBrowser, type TestStream } from "../../support/pages/live-support.ts";
import { callsOf } from "../../support/pages/plain.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const { config } = stack;
const streams: TestStream[] = [];
const redis = new Redis(config.redisUrl);
afterAll(() => {
  for (const stream of streams) stream.close();
  redis.disconnect();
});

async function openFor(sub: string, options = {}): Promise<TestStream> {
  const stream = await openStream(config, sub, options);
  streams.push(stream);
  return stream;
}

/** A door that 200 pages ask at once may ask some of them to come again. */
const openWhenCalm = (sub: string) =>
  eventually(async () => {
    const stream = await openFor(sub);
    return stream.status !== 503 && stream;
  });

/** A person, and calls of their agent. */
async function newPerson() {
  const sub = crypto.randomUUID();
  return { sub, ...callsOf(stack, await stack.issuer.token({ sub })) };
}

const lookAt = async (sub: string, path = "/account") =>
  fetch(`${config.baseUrl}${path}`, { headers: { cookie: `kept_account=${await sessionOf(config, sub)}` } });

test("what an agent does is told to its person's pages alone, and who comes back hears what was missed", async () => {
  const { sub, rest } = await newPerson();
  const [mine, theirs] = [await openFor(sub), await openFor(crypto.randomUUID())];
  expect(mine.headers.get("content-type")).toBe("text/event-stream");
  const before = await mine.event("changed");
  await theirs.event("changed");
  await rest("POST", "/todos", { title: "Pay rent" });
  const after = await mine.event("changed", 2);
  expect(after).not.toBe(before);
  expect((await (await lookAt(sub)).text()).includes(`data-version="${after}"`)).toBe(true);

  const upToDate = await openFor(sub, { lastEventId: after });
  const behind = await openFor(sub, { lastEventId: before });
  expect(await behind.event("changed")).toBe(after);
  expect([upToDate.count("changed"), theirs.count("changed")]).toEqual([0, 1]);
});

test("what an agent only reads is told to the pages that list it, and to no others", async () => {
  const { sub, call } = await newPerson();
  const [today, actions] = [await openFor(sub), await openFor(sub, { follows: "actions" })];
  await Promise.all([today.event("changed"), actions.event("changed")]);
  await call("get-pending-todos");
  await actions.event("changed", 2);
  expect(today.count("changed")).toBe(1);
  await call("create-todo", { title: "Pay rent" });
  await Promise.all([today.event("changed", 2), actions.event("changed", 3)]);
});

test("workers send no word about anybody who is not watched", async () => {
  const words: string[] = [];
  const listening = new Redis(config.redisUrl);
  await listening.subscribe(changedChannel(config.queuePrefix));
  listening.on("message", (_channel, text) => words.push(text));
  const [watched, nobody] = [await newPerson(), await newPerson()];
  await watched.rest("POST", "/todos", { title: "Unseen" });
  const stream = await openFor(watched.sub);
  await stream.event("changed");
  await nobody.rest("POST", "/todos", { title: "Unseen" });
  await watched.rest("POST", "/todos", { title: "Seen" });
  await stream.event("changed", 2);
  listening.disconnect();
  expect(words.filter((text) => text.includes(nobody.sub))).toEqual([]);
  const own = words.filter((text) => text.includes(watched.sub));
  expect(new Set(own)).toEqual(new Set([JSON.stringify([watched.sub])]));
});

test("a stream ends with its session, and nobody has one without", async () => {
  const { sub } = await newPerson();
  const stream = await openFor(sub);
  await stream.event("changed");
  const browser = await signedInBrowser(config, sub);
  await browser.submit(await browser.open("/account"), "/account/sign-out", {});
  await stream.event("goodbye");
  await stream.ended;
  expect((await openFor(sub)).status).toBe(401);
  const live = `${config.baseUrl}/account/live`;
  const headers = { cookie: `kept_account=${await sessionOf(config, sub, { generation: 1 })}` };
  expect((await fetch(live, { method: "HEAD", headers })).status).toBe(200);
  expect((await fetch(live, { method: "POST" })).status).toBeLessThan(500);
});

test("somebody's ninth page ends their first, and many streams keep nobody waiting", async () => {
  const greedy = crypto.randomUUID();
  const first = await openFor(greedy);
  for (let n = 0; n < 8; n++) await openFor(greedy);
  await first.event("goodbye");
  await first.ended;
  const joined = await Promise.all(Array.from({ length: 200 }, (_, n) => openWhenCalm(`crowd-${n % 40}`)));
  expect(joined.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  const stranger = await newPerson();
  for (let n = 0; n < 20; n++) {
    expect((await stranger.answer("POST", "/todos", { title: `Todo ${n}` })).status).toBe(201);
    expect((await lookAt(stranger.sub)).status).toBe(200);
  }
  for (const stream of joined) stream.close();
});

test("a client that does not read what it is sent is dropped", async () => {
  const sink = openSink();
  const over = Promise.withResolvers<void>();
  sink.onEnd(over.resolve);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(sink.body) });
  const socket = connect(Number(server.port), "127.0.0.1");
  const answered = new Promise((resolve) => socket.once("data", resolve));
  socket.write("GET / HTTP/1.1\r\nHost: kept\r\n\r\n");
  sink.send(":\n\n");
  await answered;
  socket.pause();
  let isOver = false;
  void over.promise.then(() => (isOver = true));
  let sent = 0;
  for (; !isOver && sent < 1_000; sent++) {
    sink.send("x".repeat(64 * 1024));
    await Bun.sleep(1);
  }
  expect(sent).toBeLessThan(1_000);
  socket.destroy();
  await server.stop(true);
});

test("a word that comes while a door reads makes it read once more", async () => {
  const reads = Promise.withResolvers<void>();
  const told = Promise.withResolvers<string>();
  const state = (changes: string) => ({ versions: { actions: "", changes }, generation: 0 });
  let count = 0;
  const user = watchUser(async () => {
    count += 1;
    if (count > 1) return state("new");
    user.look();
    await reads.promise;
    return state("old");
  });
  const tell = (found?: UserState) => found?.versions.changes === "new" && told.resolve("new");
  // The next beat reads anyway.
  user.streams.add({ tell, beat: () => told.resolve("late"), end() {} });
  user.look();
  reads.resolve();
  expect(await told.promise).toBe("new");
  user.close();
});

test("a door that is full takes a place from who has several, and none from who has one", async () => {
  const none = { ...config, queuePrefix: `full-${crypto.randomUUID()}` };
  const readState = async () => ({ versions: { actions: "1", changes: "1" }, generation: 0 });
  const hub = await openLiveHub({ config: none, redis, readState });
  const ended: string[] = [];
  const join = (userId: string) => {
    const leave = hub.join(userId, {
      tell() {},
      beat() {},
      end() {
        ended.push(userId);
        leave?.();
      },
    });
    return leave !== undefined;
  };
  for (let n = 0; n < 998; n++) expect(join(`user-${n}`)).toBe(true);
  expect([join("greedy"), join("greedy"), join("late")]).toEqual([true, true, true]);
  expect(ended).toEqual(["greedy"]);
  expect([join("later"), ended.length]).toEqual([false, 1]);
  hub.close();
  expect(ended).toHaveLength(1_001);
  expect(join("user-1")).toBe(false);
});
