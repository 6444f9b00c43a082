import fc from "fast-check";
import type { Figure, Row } from "../figure.ts";
import { onStage, type Stage } from "../stage.ts";
import { type FuzzCase, type FuzzContext, mcpCases, restCases } from "./fuzz-cases.ts";
import { shout } from "./shout.ts";

const runs = 10_000;
const seed = 20_261_121;
const atOnce = 50;

/** Requests that nobody sends by accident, half of them over raw sockets. */
export const fuzz: Figure = () =>
  onStage({ apis: 1, workers: 1 }, async (stage) => {
    const context = await prepare(stage);
    return [
      await fuzzDoor("REST", restCases(context), context),
      await fuzzDoor("MCP", mcpCases(context), context),
    ];
  });

async function prepare({ call, tokenOf, baseUrls }: Stage): Promise<FuzzContext> {
  const user = "fuzzer";
  const habit = { name: "h", type: "good", frequency: "daily" };
  const create = async (path: string, body: object): Promise<number> =>
    (await call(user, "POST", path, { body })).body.id;
  return {
    baseUrl: baseUrls[0] ?? "",
    token: await tokenOf(user),
    ids: {
      habit_id: await create("/habits", habit),
      todo_id: await create("/todos", { title: "t" }),
      category_id: await create("/categories", { name: "c" }),
    },
  };
}

async function fuzzDoor(name: string, cases: fc.Arbitrary<FuzzCase>, context: FuzzContext): Promise<Row> {
  const queue = fc.sample(cases, { numRuns: runs, seed });
  const answers: string[] = [];
  const faults: string[] = [];
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const answer = await send(next, context);
      answers.push(kindOf(answer));
      if (isFault(answer)) faults.push(`${describe(next)}\n→ ${answer.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const fault of faults.slice(0, 3)) console.error(fault);
  const kinds = [...Map.groupBy(answers, String)].toSorted();
  return {
    figure: `${runs} fuzzed requests: ${name}`,
    goal: "0 5xx",
    measured: `${faults.length} (${kinds.map(([kind, { length }]) => `${length} × ${kind}`).join(", ")})`,
    ok: faults.length === 0,
  };
}

const statusOf = (answer: string): string =>
  /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? "";

/** 505 is how Bun refuses a request line of no HTTP version that it speaks, before any of our code runs. */
const unspoken = "505";

function kindOf(answer: string): string {
  const status = statusOf(answer);
  if (status === unspoken) return status;
  return status === "" ? "hung up" : `${status[0]}xx`;
}

/**
 * An MCP answer is always 200, so its words count too. The SDK refuses wrong parameters of its own methods with a list
 * of issues under -32603.
 */
function isFault(answer: string): boolean {
  const status = statusOf(answer);
  const failed = status.startsWith("5") && status !== unspoken;
  return failed || answer.includes('"code":"internal"') || /"code":-32603,"message":"(?!\[)/.test(answer);
}

const describe = (one: FuzzCase): string =>
  ("raw" in one ? one.raw : JSON.stringify(one)).replace(/Bearer [\w.-]+/, "Bearer …").slice(0, 500);

async function send(one: FuzzCase, { baseUrl }: FuzzContext): Promise<string> {
  if ("raw" in one) return shout(Number(new URL(baseUrl).port), one.raw);
  const response = await fetch(`${baseUrl}${one.path}`, one.init).catch(() => undefined);
  return response ? `HTTP/1.1 ${response.status}\r\n\r\n${await response.text()}` : "";
}
