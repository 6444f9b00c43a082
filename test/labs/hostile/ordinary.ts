import type { Answer } from "../../harness.ts";
import { type Sample, sample } from "../../support/chaos/samples.ts";
import { cookieOf } from "../../support/identity/browser.ts";
import { type Person, type Site, toolCall } from "./person.ts";

const patienceMs = 10_000;

/**
 * An ordinary person's requests: some over REST, more by an agent, now and then a page. All stay within the limits.
 * Each made thing is deleted again, so that later requests read as much as earlier ones.
 */
export function keepLiving(site: Site, people: readonly Person[]): () => Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  /** Pauses differ, because after one common delay equal pauses would make everybody call in the same moment. */
  const repeat = async (everyMs: number, calls: readonly Call[]) => {
    const pause = () => Bun.sleep(2 * everyMs * Math.random());
    let made = 0;
    await pause();
    for (let turn = 0; !over; turn++) {
      const call = calls[turn % calls.length] as Call;
      const calling = call(made);
      samples.push(await sample(() => calling));
      made = idIn(await calling.catch(() => undefined)) ?? made;
      await pause();
    }
  };
  const all = people.flatMap((person) => [
    repeat(1_300, restCalls(site, person)),
    repeat(700, toolCalls(site, person)),
    repeat(2_500, [() => openPage(site, person)]),
  ]);
  return async () => {
    over = true;
    await Promise.all(all);
    return samples;
  };
}

/** One request of a person, who may need the id of the thing that they `made` last. */
type Call = (made: number) => Promise<Answer>;

/** An answer over MCP has an `id` too, that of its message. */
const idIn = (answer: Answer | undefined): number | undefined =>
  answer?.body?.result ? answer.body.result.structuredContent?.todo?.id : answer?.body?.id;

function restCalls({ baseUrl }: Site, { headers }: Person): Call[] {
  const call = (method: string, path: string, body?: object) =>
    send(`${baseUrl}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return [
    () => call("GET", "/todos"),
    () => call("POST", "/todos", { title: "Water the plants" }),
    (made) => call("DELETE", `/todos/${made}`),
    () => call("GET", "/dashboard"),
    () => call("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" }),
    (made) => call("DELETE", `/habits/${made}`),
  ];
}

function toolCalls({ baseUrl }: Site, { headers }: Person): Call[] {
  const call = async (name: string, args: object) => {
    const answer = await send(`${baseUrl}/mcp`, { method: "POST", headers, body: toolCall(name, args) });
    return answer.body?.result?.isError ? { ...answer, status: 500 } : answer;
  };
  return [
    () => call("create-todo", { title: "Call the bank" }),
    () => call("get-pending-todos", { limit: 5 }),
    (made) => call("delete-todo", { todo_id: made }),
    () => call("get-today-habits", {}),
  ];
}

function openPage({ baseUrl }: Site, { account, headers: { "x-forwarded-for": network = "" } }: Person) {
  const headers = { cookie: cookieOf(account), accept: "text/html", "x-forwarded-for": network };
  return send(`${baseUrl}/account`, { headers, redirect: "manual" });
}

async function send(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.includes("json") ?? false;
  return { status, headers, body: isJson && text ? JSON.parse(text) : undefined };
}
