import { expect, test } from "bun:test";
import type { JsonBody } from "../../harness.ts";
import { createRandom } from "../../support/chaos/random.ts";
import { pidsOf } from "../../support/chaos/roles.ts";
import { startWorld } from "../../support/chaos/world.ts";
import { expectEqual, newCopy } from "../../support/copies/copy.ts";
import { apply, followChanges } from "../../support/copies/followed.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";

/** CHANGES=10000 KILLS=20 is the figure of docs/measurements.md. */
const changes = Number(Bun.env.CHANGES ?? 400);
const kills = Number(Bun.env.KILLS ?? 3);
const writers = 20;
const seed = Number(Bun.env.SEED ?? 1);

const world = await startWorld("webhooks", { WEBHOOK_ALLOW_LOOPBACK: "yes", DEFAULT_TIME_ZONE: "UTC" });
const { sql, call, baseUrls, token } = world;
const random = createRandom(seed, "webhooks");

let secret = "";
const receiver = startReceiver(() => secret);
/** The events of each todo that the receiver has taken, and all that it has seen. */
const taken = new Map<number, number[]>();
const seen = new Map<number, number[]>();
/** The last state of a deleted todo. */
const gone = Number.MAX_SAFE_INTEGER;

function note(list: Map<number, number[]>, { id, resource }: JsonBody): void {
  list.set(id, [...(list.get(id) ?? []), resource ? Number(resource.title) : gone]);
}

receiver.behaviour.answer = ({ event }) => {
  note(seen, event.data);
  if (random.chance(1 / 3)) return new Response(null, { status: 500 });
  note(taken, event.data);
  return new Response(null, { status: 204 });
};

/** Sends a change until it is answered: kills leave some without an answer. */
async function change(method: string, path: string, body: object | undefined, door: number) {
  const key = crypto.randomUUID();
  for (;;) {
    const answer = await call(method, path, { door, key, ...(body && { body }) }).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body;
    if (answer && answer.status < 500 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
    await Bun.sleep(50);
  }
}

/** The changes of each todo, by their numbers in its title. */
const made = new Map<number, number>();
let written = 0;

async function write(writer: number): Promise<void> {
  const own: number[] = [];
  while (written < changes) {
    written += 1;
    const id = own.length < 5 || random.chance(0.1) ? undefined : random.pick(own);
    if (id === undefined) {
      const { id: created } = await change("POST", "/todos", { title: "1" }, writer);
      own.push(created);
      made.set(created, 1);
    } else if (random.chance(0.05)) {
      await change("DELETE", `/todos/${id}`, undefined, writer);
      own.splice(own.indexOf(id), 1);
      made.set(id, gone);
    } else {
      const next = (made.get(id) ?? 0) + 1;
      await change("PATCH", `/todos/${id}`, { title: String(next) }, writer);
      made.set(id, next);
    }
  }
}

/** A copy that the stream alone keeps, and that comes back after each kill. */
async function keepCopy(copy: ReturnType<typeof newCopy>, isOver: () => boolean): Promise<void> {
  for (let door = 0; !isOver(); door++) {
    const baseUrl = baseUrls[door % baseUrls.length] ?? "";
    const stream = await followChanges(baseUrl, token, copy.cursor, (event) => apply(copy, event)).catch(
      () => undefined,
    );
    while (stream && !stream.isOver() && !isOver()) await Bun.sleep(20);
    stream?.close();
    await Bun.sleep(50);
  }
}

/** Only time is faked: a failed attempt is made again at once. A newer change of its thing still waits for its turn. */
const hurry = () =>
  sql`update webhook_deliveries set next_attempt_at = now()
    where finished_at is null and status = 'waiting' and attempts > 0 and next_attempt_at > now()`.catch(
    () => {},
  );

async function killAtTimes(): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    while (written < (changes * kill) / (kills + 1)) await Bun.sleep(20);
    const role = kill % 4 === 0 ? "api" : "workers";
    // The other process of that role stays.
    while (pidsOf(role).length < 2) await Bun.sleep(20);
    process.kill(random.pick(pidsOf(role)), "SIGKILL");
  }
}

test(
  `${changes} changes by ${writers} writers under ${kills} kills: the receiver has the newest state of each todo and none out of order, the stream's copy is equal`,
  async () => {
    const created = await change("POST", "/webhooks", { url: receiver.url, events: ["todo.*"] }, 0);
    secret = created.secret;
    const copy = newCopy();
    let isOver = false;
    const following = keepCopy(copy, () => isOver);
    await Promise.all([killAtTimes(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
    const behind = () => [...made].filter(([id, last]) => taken.get(id)?.at(-1) !== last);
    for (let looks = 0; behind().length > 0 && looks < 3_000; looks++) {
      await hurry();
      await Bun.sleep(100);
    }
    expect(behind()).toEqual([]);
    const isInOrder = (numbers: readonly number[]) =>
      numbers.every((number, n) => n === 0 || number >= (numbers[n - 1] ?? 0));
    expect([...seen].filter(([, numbers]) => !isInOrder(numbers))).toEqual([]);
    expect(receiver.forged).toEqual([]);
    const get = (path: string) => call("GET", path);
    const last = await change("POST", "/todos", { title: "1" }, 0);
    for (let looks = 0; !copy.resources.has(`todo ${last.id}`) && looks < 300; looks++) await Bun.sleep(100);
    await expectEqual(get, copy);
    isOver = true;
    await following;
    console.info(`${seen.size} todos, ${receiver.received.length} posts for ${changes} changes`);
  },
  120_000 + changes * 60,
);
