import { isDeepStrictEqual } from "node:util";
import type { JsonBody } from "../../harness.ts";
import { bearer, type Call } from "../bench/scenarios.ts";
import { idAt, userAt } from "../bench/seed.ts";
import type { Page, Question } from "./contestants.ts";
import type { Running } from "./start.ts";

type Told = Readonly<{ after: string; answer: unknown }>;

/** @throws unless all contestants answer the same questions alike, before and after changes */
export async function checkAgreement(all: readonly Running[]): Promise<void> {
  const told = [];
  // Both doors of Kept share a database, so each contestant has a user of its own; all users have the same todos.
  for (const [nth, one] of all.entries()) told.push({ name: one.name, answers: await interview(one, nth) });
  const [first, ...others] = told;
  for (const { name, answers } of others) {
    const difference = firstDifference(first?.answers ?? [], answers);
    if (difference) throw new Error(`${first?.name} and ${name} differ, ${difference}`);
  }
}

/** Compares answers to the same questions; a question that was not asked has none. */
export function firstDifference(ours: readonly Told[], theirs: readonly Told[]): string | undefined {
  for (const { after, answer } of theirs) {
    const own = ours.find((one) => one.after === after)?.answer;
    if (!isDeepStrictEqual(own, answer))
      return `${after}: ${JSON.stringify(own)} is not ${JSON.stringify(answer)}`;
  }
  return undefined;
}

/** A list before and after each change of the nth user, and one todo. */
async function interview(all: Running, nth: number): Promise<Told[]> {
  const one = { ...all, callers: all.callers.slice(nth) };
  const index = one.callers[0]?.index ?? 0;
  const ids = { user: userAt(index), todo: idAt(index, 1), habit: 0 };
  const callsOf = (question: Question) => one.asks[question]?.(ids) ?? [];
  const page = async (): Promise<Page> => {
    const [list] = callsOf("list");
    return one.readPage(list && (await ask(one, list)));
  };
  const told: Told[] = [{ after: "at first", answer: await page() }];
  const [get] = callsOf("get");
  if (get) told.push({ after: "for one", answer: one.readTodo(await ask(one, get)) });
  const [done, undone] = callsOf("complete");
  const changes = { done, "open again": undone, created: callsOf("create")[0] };
  for (const [after, change] of Object.entries(changes)) {
    if (change) await ask(one, change);
    told.push({ after, answer: await page() });
  }
  return told;
}

/** Servers of MCP may answer by a stream of one event. */
async function ask(
  { port, callers, headersOf = bearer }: Running,
  { method, path, body }: Call,
): Promise<JsonBody> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...headersOf(callers[0]?.token ?? ""),
      ...(body && { accept: "application/json, text/event-stream", "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // GraphQL answers its errors with 200.
  if (!response.ok || text.startsWith('{"errors"'))
    throw new Error(`${path} was answered ${response.status}: ${text}`);
  return JSON.parse(text.replace(/^[\s\S]*?^data: /m, ""));
}
