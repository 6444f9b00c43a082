import { expect } from "bun:test";
import type { SQL } from "bun";
import type { JsonBody } from "../../../harness.ts";
import type { Random } from "../../../support/chaos/random.ts";
import type { Call } from "../../../support/chaos/world.ts";
import { untilAnswered } from "../../../support/chaos/writer.ts";
import { startReceiver } from "../../../support/reminder/receiver.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const writers = 20;

/** The last state of a deleted todo. */
const gone = Number.MAX_SAFE_INTEGER;

/** Numbers of changes by todo. */
type Numbers = Map<number, number[]>;

function note(list: Numbers, { id, resource }: JsonBody): void {
  list.set(id, [...(list.get(id) ?? []), resource ? Number(resource.title) : gone]);
}

/** A receiver that is told its secret later. To be opened outside of hooks, because it is closed after its block. */
export function openReceiver() {
  let secret = "";
  const receiver = startReceiver(() => secret);
  const tell = (told: string) => {
    secret = told;
  };
  return { receiver, tell };
}

type Webhook = Readonly<{ call: Call; sql: SQL; random: Random; changes: number }>;

/** A webhook whose receiver refuses a third, and clients that number the changes of each todo in its title. */
export async function startWebhook(
  { receiver, tell }: ReturnType<typeof openReceiver>,
  { call, sql, random, changes }: Webhook,
) {
  /** Sends a change until it is answered: kills leave some without an answer. */
  async function change(method: string, path: string, body: object | undefined, door: number) {
    const key = crypto.randomUUID();
    const { status, body: answer } = await untilAnswered(
      () => call(method, path, { door, key, ...(body && { body }) }),
      ({ status }) => status < 500 && status !== 409,
    );
    if (status >= 300) throw new Error(JSON.stringify(answer));
    return answer;
  }

  const [taken, seen]: [Numbers, Numbers] = [new Map(), new Map()];
  receiver.behaviour.answer = ({ event }) => {
    note(seen, event.data);
    if (random.chance(1 / 3)) return new Response(null, { status: 500 });
    note(taken, event.data);
    return new Response(null, { status: 204 });
  };
  tell((await change("POST", "/webhooks", { url: receiver.url, events: ["todo.*"] }, 0)).secret);

  /** The last change of each todo. */
  const made = new Map<number, number>();
  let written = 0;
  async function write(writer: number): Promise<void> {
    const own: number[] = [];
    while (written < changes) {
      written += 1;
      const id = own.length < 3 || random.chance(0.1) ? undefined : random.pick(own);
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
  /** Only time is faked: a receiver that failed is asked again at once. */
  const hurry = () => sql`update webhooks set held_until = now() where failing_since is not null`;
  const behind = () => [...made].filter(([id, last]) => taken.get(id)?.at(-1) !== last);

  return {
    /** The part of the changes that is made. */
    progress: () => written / changes,
    written: Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))),
    async expectAllInOrder(): Promise<void> {
      await eventually(() => hurry().then(() => behind().length === 0), 240_000).catch(() => {});
      expect(behind()).toEqual([]);
      const isInOrder = (numbers: readonly number[]) =>
        numbers.every((number, n) => n === 0 || number >= (numbers[n - 1] ?? 0));
      expect([...seen].filter(([, numbers]) => !isInOrder(numbers))).toEqual([]);
      expect(receiver.forged).toEqual([]);
      console.info(`${seen.size} todos, ${receiver.received.length} posts for ${changes} changes`);
    },
  };
}
