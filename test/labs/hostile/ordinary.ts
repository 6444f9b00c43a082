import type { Answer } from "../../harness.ts";
import { type Sample, sample } from "../figures/samples.ts";
import { cookieOf, type Person, type Site, toolCall } from "./person.ts";

const patienceMs = 10_000;

/** An ordinary person's requests: some over REST, more by an agent, now and then a page. All stay within the limits. */
export function keepLiving(site: Site, people: readonly Person[]): () => Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  const repeat = async (everyMs: number, call: (turn: number) => Promise<Answer>) => {
    await Bun.sleep(Math.random() * everyMs);
    for (let turn = 0; !over; turn++) {
      samples.push(await sample(() => call(turn)));
      await Bun.sleep(everyMs);
    }
  };
  const all = people.flatMap((person) => [
    repeat(1_300, (turn) => callRest(site, person, turn)),
    repeat(700, (turn) => callTool(site, person, turn)),
    repeat(2_500, () => openPage(site, person)),
  ]);
  return async () => {
    over = true;
    await Promise.all(all);
    return samples;
  };
}

const restCalls = [
  { method: "GET", path: "/todos" },
  { method: "POST", path: "/todos", body: { title: "Water the plants" } },
  { method: "GET", path: "/dashboard" },
  { method: "POST", path: "/habits", body: { name: "Walk", type: "good", frequency: "daily" } },
] as const;

function callRest({ baseUrl }: Site, { headers }: Person, turn: number): Promise<Answer> {
  const { method, path, ...rest } = restCalls[turn % restCalls.length] ?? restCalls[0];
  const body = "body" in rest ? { body: JSON.stringify(rest.body) } : {};
  return send(`${baseUrl}/api/v1${path}`, { method, headers, ...body });
}

const toolCalls = [
  toolCall("create-todo", { title: "Call the bank" }),
  toolCall("get-pending-todos", { limit: 5 }),
  toolCall("get-today-habits", {}),
];

async function callTool({ baseUrl }: Site, { headers }: Person, turn: number): Promise<Answer> {
  const body = toolCalls[turn % toolCalls.length] ?? "";
  const answer = await send(`${baseUrl}/mcp`, { method: "POST", headers, body });
  return answer.body?.result?.isError ? { ...answer, status: 500 } : answer;
}

const openPage = ({ baseUrl }: Site, { account, headers }: Person): Promise<Answer> => {
  const network = headers["x-forwarded-for"] ?? "";
  const page = { cookie: cookieOf(account), accept: "text/html", "x-forwarded-for": network };
  return send(`${baseUrl}/account`, { headers: page, redirect: "manual" });
};

async function send(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}
