import { expect, test } from "bun:test";
import fc from "fast-check";
import { tools } from "../../../api/doors/mcp/tools/index.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { type Answer, useStack } from "../../harness.ts";
import { post } from "../../support/mcp.ts";
import { oddRequests } from "../../support/odd/requests.ts";
import { oddGroups } from "../../support/odd-groups.ts";
import { fuzzRuns, holdsForAll, oddValue, whenNotBusy } from "../../support/odd-values.ts";
import { connectRaw } from "../../support/raw.ts";

const stack = await useStack();
const { rest, config } = stack;
const token = await stack.issuer.token();
const made = async (path: string, body: object): Promise<number> =>
  (await rest("POST", path, { body })).body.id;
const habit = await made("/habits", { name: "h", type: "good", frequency: "daily" });
const todo = await made("/todos", { title: "t" });
const category = await made("/categories", { name: "c" });

const routes = contracts.flatMap(({ input, rest: list = [] }) =>
  list.flatMap(({ method, path, streams }) => {
    const fields = Object.keys(input.properties).filter((name) => !path.includes(name));
    // A stream does not end by itself.
    return streams ? [] : [{ method, path, fields }];
  }),
);

const pathId = fc.constantFrom(
  ...["real", "1", "9007199254740991", "0", "-1", "1e3", "%00", "١", "99999999999999999999"],
);

/** An unknown name is refused before anything else happens, so few requests have one. */
const mostlyKnown = (fields: readonly string[]) =>
  fc.oneof(
    { weight: fields.length > 0 ? 30 : 0, arbitrary: fc.constantFrom(...fields, "id") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("page", "__proto__", "nonsense", "Title", "\ud800", "x".repeat(9_000)),
    },
  );

const request = fc.constantFrom(...routes).chain(({ method, path, fields }) =>
  fc.record({
    method: fc.constant(method),
    path: fc.constant(path),
    id: fc.oneof({ weight: 4, arbitrary: fc.constant("real") }, pathId),
    fields: fc.dictionary(mostlyKnown(fields), oddValue, { maxKeys: 6 }),
    key: fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 260 }), { nil: undefined }),
    tags: fc.constantFrom(...Array(8).fill(undefined), "*", '"x", W/"y"', 'x,"'),
  }),
);

function addressOf(path: string, id: string): string {
  const real = path.includes("habit_id") ? habit : path.includes("todo_id") ? todo : category;
  return path.replace(/\{\w+\}/, id === "real" ? String(real) : id);
}

test("nothing that a client sends makes a 5xx", () =>
  holdsForAll(request, 500, async ({ method, path, id, fields, key, tags }) => {
    if (method === "DELETE" && !path.endsWith("/complete") && id === "real") return;
    const query = new URLSearchParams();
    for (const [name, text] of Object.entries(fields)) {
      query.set(name, typeof text === "string" ? text : JSON.stringify(text));
    }
    const inQuery = method === "GET" || method === "DELETE";
    const headers = {
      ...(key !== undefined && { "idempotency-key": key }),
      ...(tags !== undefined && { [method === "GET" ? "if-none-match" : "if-match"]: tags }),
    };
    const sent = { headers, ...(!inQuery && { body: JSON.stringify(fields) }) };
    const address = `${addressOf(path, id)}${inQuery ? `?${query}` : ""}`;
    const answer = await whenNotBusy(() => rest(method, address, sent));
    expect(answer.status).toBeLessThan(500);
    if (answer.status >= 400) expect(answer.body.message).toBeString();
    if (answer.status === 422) expect(Object.keys(answer.body).sort()).toEqual(["errors", "message"]);
  }));

const groups = oddGroups(oddValue, { habit_id: habit, todo_id: todo, category_id: category });

test("no group makes a 5xx, and no result in it is one", async () => {
  let carriedOut = 0;
  await holdsForAll(groups, 300, async (body) => {
    const isBusy = ({ body }: Answer) => [body, ...(body.results ?? [])].some(({ status }) => status === 503);
    const answer = await whenNotBusy(() => rest("POST", "/batch", { body }), isBusy);
    expect(answer.status).toBeOneOf([200, 422]);
    if (answer.status === 422) return expect(Object.keys(answer.body).sort()).toEqual(["errors", "message"]);
    expect(answer.body.results).toHaveLength((body.operations as unknown[]).length);
    for (const { status } of answer.body.results) {
      expect(status).toBeLessThan(500);
      if (status < 300) carriedOut += 1;
    }
  });
  // Usually some ninety, but a dozen if chance deletes early what most requests need.
  expect(carriedOut).toBeGreaterThan(3);
});

test("no body of raw bytes makes a 5xx", () =>
  holdsForAll(fc.string({ unit: "binary", maxLength: 200 }), 300, async (body) =>
    expect((await rest("POST", "/todos", { body })).status).toBeOneOf([400, 422]),
  ));

/** Bun refuses a version of HTTP that it does not speak, before any code of the service runs. */
const unspoken = 505;
const patienceMs = 250;

test("no request line, header, address or body that a library would never send makes a 5xx", async () => {
  const paths = routes.map(({ path }) => addressOf(`/api/v1${path}`, "real"));
  const odd = oddRequests(token, ["/mcp", ...paths]);
  const requests = fc.sample(odd, { numRuns: fuzzRuns(500) });
  const statuses = new Map<number | string, number>();
  const send = async () => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      const connection = await connectRaw(Number(new URL(config.baseUrl).port));
      const silence = Bun.sleep(patienceMs).then(() => "silent" as const);
      const answer = await Promise.race([connection.exchange(Buffer.from(request, "latin1")), silence]);
      connection.close();
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
      const isFault = typeof answer === "number" && answer >= 500 && answer !== unspoken;
      expect([answer, isFault, isFault && request]).toEqual([answer, false, false]);
    }
  };
  await Promise.all(Array.from({ length: 20 }, send));
  expect(statuses.get(200)).toBeGreaterThan(0);
});

const ofObjects = Object.getOwnPropertyNames(Object.prototype);
const toolNames = tools.map(({ name }) => name);
const fieldNames = contracts.flatMap(({ input }) => Object.keys(input.properties));
const ofTools = [
  ...["clear", "completed", "idempotency_key", "todos", "todo_ids", "habit_ids", "dates"],
  ...["skip_dates", "unskip_dates", "undo", "rename_category", "add_note"],
];

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...toolNames) },
  fc.constantFrom(...ofObjects, "", "tools/call"),
  fc.string({ unit: "binary", maxLength: 300 }),
);
const args = fc.oneof(
  fc.dictionary(fc.constantFrom(...fieldNames, ...ofObjects, ...ofTools), oddValue, {
    maxKeys: 5,
  }),
  oddValue,
);
const uri = fc.oneof(
  fc.constantFrom("kept://today", "kept://habits/1", "kept://habits/"),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => `kept://habits/${text}`),
  oddValue,
);
const call = fc.record({ name, arguments: args }, { requiredKeys: ["name"] });
const method = fc.constantFrom(
  ...["tools/call", "tools/list", "initialize", "ping", "resources/read", "constructor", ""],
);
const message = fc.oneof(
  { weight: 4, arbitrary: call.map((params) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params })) },
  fc
    .record({ uri, name: oddValue, arguments: oddValue }, { requiredKeys: [] })
    .chain((params) =>
      fc
        .constantFrom("resources/read", "prompts/get")
        .map((method) => ({ jsonrpc: "2.0", id: 1, method, params })),
    ),
  fc.record(
    { jsonrpc: oddValue, id: oddValue, method: fc.oneof(method, oddValue), params: oddValue },
    { requiredKeys: [] },
  ),
);
const header = fc.dictionary(
  fc.constantFrom("mcp-protocol-version", "mcp-session-id", "accept", "last-event-id", "origin"),
  fc.constantFrom("", "2025-06-18", "2026-07-28", "1999-01-01", "*/*", "null", "http://localhost", "-1"),
  { maxKeys: 2 },
);

test("no message and no tool call makes a 5xx or a fault of the service", () =>
  holdsForAll(fc.tuple(message, header), 250, async ([message, headers]) => {
    const { status, body } = await whenNotBusy(() => post(stack, message, { token, headers }));
    expect(status).toBeLessThan(500);
    expect(body?.result?.structuredContent?.code).not.toBe("internal");
    expect(body?.error?.code).not.toBe(-32_603);
  }));
