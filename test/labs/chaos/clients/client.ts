import type { Random } from "../../../support/chaos/random.ts";
import {
  type Action,
  type Conclusion,
  type History,
  isSettled,
  isWriting,
  type Operation,
} from "../history.ts";
import { toolRequest } from "./requests.ts";
import { attempt, type Caller } from "./wire.ts";

export type Client = Readonly<{
  number: number;
  user: number;
  caller: Caller;
  history: History;
  random: Random;
  shared: SharedRows;
}>;

/** The rows that the clients of one user share, and all write to. */
export type SharedRows = {
  /** Toggled only under keys, so that the number of flips is known. */
  keyedTodo: number;
  /** Toggled without keys too. */
  looseTodo: number;
  /** Completed by everybody and never undone; clients compete for the last one. */
  contests: number[];
};

export type How = Readonly<{ via?: "rest" | "mcp"; keyed?: boolean; hedged?: boolean; door?: number }>;

/** Milliseconds for which an operation with a key is repeated. */
const persistenceMs = 30_000;

/**
 * Performs an action as a careful client does: under a key it repeats until the answer is final, at one
 * door after the other; without a key it asks once and accepts the answer.
 */
export async function perform(client: Client, action: Action, how: How = {}): Promise<Conclusion> {
  const operation = begin(client, action, how);
  const { random, caller } = client;
  const isKeyed = operation.key !== undefined;
  let door = how.door ?? random.between(0, 1);
  const doors = how.hedged && isKeyed ? [0, 1] : [door];
  operation.attempts.push(...(await Promise.all(doors.map((each) => attempt(caller, operation, each)))));
  const until = Date.now() + persistenceMs;
  while (isKeyed && !isSettled(operation) && Date.now() < until) {
    await Bun.sleep(random.between(20, 200));
    door = 1 - door;
    operation.attempts.push(await attempt(caller, operation, door));
  }
  return client.history.end(operation);
}

function begin({ number, user, history, random }: Client, action: Action, how: How): Operation {
  const keyed = how.keyed ?? random.chance(0.6);
  const via = how.via ?? (random.chance(0.4) ? "mcp" : "rest");
  return history.begin({
    client: number,
    user,
    action,
    via: toolRequest({ action }) ? via : "rest",
    ...(keyed && isWriting(action) && { key: crypto.randomUUID() }),
  });
}
