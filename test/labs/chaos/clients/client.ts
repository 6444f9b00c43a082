import type { Random } from "../../../support/chaos/random.ts";
import {
  type Action,
  type Conclusion,
  conclusionOf,
  type History,
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
  /** The shared rows, which all clients of this user write to. */
  shared: SharedRows;
}>;

/** The rows that the clients of one user share. */
export type SharedRows = {
  /** Toggled only under keys, so that the number of flips is known. */
  keyedTodo: number;
  /** Toggled without keys too. */
  looseTodo: number;
  /** Completed by everybody and never undone; clients compete for the last one. */
  contests: number[];
};

type How = Readonly<{ via?: "rest" | "mcp"; keyed?: boolean; hedged?: boolean; door?: number }>;

/** Milliseconds for which an operation with a key is repeated. */
const persistenceMs = 30_000;

/**
 * Performs an action as a careful client does: under a key it repeats until the answer is final, at one
 * door after the other; without a key it asks once and accepts the answer.
 */
export async function perform(client: Client, action: Action, how: How = {}): Promise<Conclusion> {
  const operation = begin(client, action, how);
  const { random, caller } = client;
  const door = how.door ?? random.between(0, 1);
  if (how.hedged && operation.key !== undefined)
    operation.attempts.push(...(await Promise.all([0, 1].map((each) => attempt(caller, operation, each)))));
  else operation.attempts.push(await attempt(caller, operation, door));
  const until = Date.now() + persistenceMs;
  for (
    let turn = door + 1;
    operation.key !== undefined && !isFinal(operation) && Date.now() < until;
    turn++
  ) {
    await Bun.sleep(random.between(20, 200));
    operation.attempts.push(await attempt(caller, operation, turn % 2));
  }
  return client.history.end(operation);
}

function begin({ number, user, history, random }: Client, action: Action, how: How): Operation {
  const keyed = how.keyed ?? random.chance(0.6);
  const via = how.via ?? (random.chance(0.4) ? "mcp" : "rest");
  const hasTool = toolRequest({ action }) !== undefined;
  const mayBeKeyed = keyed && isWriting(action);
  return history.begin({
    client: number,
    user,
    action,
    via: hasTool ? via : "rest",
    ...(mayBeKeyed && { key: crypto.randomUUID() }),
  });
}

function isFinal(operation: Operation): boolean {
  const wrong = operation.attempts.some(({ answer }) => answer.verdict === "wrong");
  const { verdict } = conclusionOf(operation);
  return wrong || verdict === "done" || verdict === "refused";
}
