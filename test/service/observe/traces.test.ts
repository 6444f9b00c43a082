import { afterAll, expect, test } from "bun:test";
import { sources, textOf } from "../../architecture/sources.ts";
import { type JsonBody, startStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";

type Span = Readonly<{
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  failed: boolean;
  attributes: Readonly<Record<string, unknown>>;
}>;

const texts: string[] = [];
const spans: Span[] = [];
let hangs = false;
const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (hangs) await new Promise(() => {});
    expect(new URL(request.url).pathname).toBe("/v1/traces");
    const text = await request.text();
    texts.push(text);
    spans.push(...spansIn(JSON.parse(text)));
    return Response.json({});
  },
});
const stack = await startStack({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` },
});
afterAll(() => collector.stop(true));

function spansIn({ resourceSpans }: JsonBody): Span[] {
  const valuesOf = (attributes: JsonBody[]) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  return resourceSpans.flatMap(({ resource, scopeSpans }: JsonBody) =>
    scopeSpans.flatMap(({ spans: sent }: JsonBody) =>
      sent.map(({ parentSpanId = "", status, attributes, ...span }: JsonBody) => ({
        ...span,
        parentSpanId,
        failed: status.code === 2,
        attributes: valuesOf(attributes),
        service: valuesOf(resource.attributes)["service.name"],
      })),
    ),
  );
}

/** The steps of a request's trace, once there are this many, each after its parent. */
async function traceOf({ headers }: { headers: Headers }, count: number): Promise<Span[]> {
  const id = headers.get("x-request-id");
  return eventually(() => {
    const own = spans.find(({ attributes }) => attributes["kept.request_id"] === id);
    const trace = spans.filter(({ traceId }) => traceId === own?.traceId);
    return trace.length === count && inOrder(trace);
  });
}

function inOrder(trace: readonly Span[]): Span[] {
  const ids = new Set(trace.map(({ spanId }) => spanId));
  const below = (parents: readonly Span[]): Span[] =>
    parents.flatMap((parent) => [
      parent,
      ...below(trace.filter(({ parentSpanId }) => parentSpanId === parent.spanId)),
    ]);
  return below(trace.filter(({ parentSpanId }) => !ids.has(parentSpanId)));
}

const named = (trace: readonly Span[]) => trace.map(({ service, name }) => `${service}: ${name}`);
const caller = { trace: "0af7651916cd43dd8448eb211c80319c", step: "b7ad6b7169203331" };

test("a change by REST is one trace, from the caller's step over the front door to the worker's transaction", async () => {
  const headers = { traceparent: `00-${caller.trace}-${caller.step}-01` };
  const answer = await stack.rest("POST", "/todos", { headers, body: { title: "A secret wish" } });
  const [door, command, transaction, ...more] = await traceOf(answer, 3);
  expect(more).toEqual([]);
  expect(door).toMatchObject({ service: "kept-api", name: "POST /todos", parentSpanId: caller.step });
  expect(door?.traceId).toBe(caller.trace);
  expect(door?.attributes).toMatchObject({ "http.route": "/todos", "http.response.status_code": 201 });
  expect(command).toMatchObject({ service: "kept-workers", name: "todo.create", parentSpanId: door?.spanId });
  expect(command?.attributes).toMatchObject({ "kept.outcome": "done", "kept.batch.commands": 1 });
  expect(transaction).toMatchObject({ name: "transaction", parentSpanId: command?.spanId });
  expect(texts.join()).not.toContain("secret wish");
  expect(texts.join()).not.toContain("Bearer");
});

test("so is a read, a refused change, a group, and an agent's read with the command that logs it", async () => {
  const operations = ["One", "Two"].map((title) => ({ method: "POST", path: "/todos", body: { title } }));
  // Separate people, so that no transaction waits for another and runs twice.
  const { call } = await agent(stack, { sub: "agent" });
  const token = await stack.issuer.token({ sub: "group" });
  const [read, refused, group, tool] = await Promise.all([
    stack.rest("GET", "/todos").then((answer) => traceOf(answer, 1)),
    stack.rest("DELETE", "/todos/404").then((answer) => traceOf(answer, 3)),
    stack.rest("POST", "/batch", { token, body: { operations } }).then((answer) => traceOf(answer, 3)),
    call("get-today-habits").then(({ answer }) => traceOf(answer, 3)),
  ]);
  expect(named(read)).toEqual(["kept-api: GET /todos"]);
  expect(named(refused)).toEqual([
    "kept-api: DELETE /todos/{todo_id}",
    "kept-workers: todo.delete",
    "kept-workers: transaction",
  ]);
  expect(refused.map(({ failed }) => failed)).toEqual([false, false, false]);
  expect(refused[1]?.attributes).toMatchObject({ "kept.outcome": "not_found" });
  expect(named(group).slice(1)).toEqual(["kept-workers: batch.run", "kept-workers: transaction"]);
  expect(group[2]?.attributes).toMatchObject({ "kept.transaction.commands": 2 });
  expect(named(tool).slice(0, 2)).toEqual(["kept-api: POST /mcp", "kept-workers: action.record"]);
});

test("no caller decides that its request is not traced", async () => {
  const silent = "1af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${silent}-${caller.step}-00` };
  const answer = await stack.rest("POST", "/todos", { headers, body: { title: "Untraced" } });
  const [door, command] = await traceOf(answer, 3);
  expect([door?.traceId, door?.parentSpanId]).toEqual([silent, caller.step]);
  expect(command?.traceId).toBe(silent);
});

test("a header that is no traceparent begins a trace", async () => {
  const odd = ["", "00-zz-01", `00-${"0".repeat(32)}-${caller.step}-01`, "x".repeat(9_000)];
  const answers = await Promise.all(
    odd.map((traceparent) => stack.rest("GET", "/me", { headers: { traceparent } })),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect((await traceOf(answer, 1))[0]).toMatchObject({ parentSpanId: "" });
  }
});

test("a collector that hangs holds nothing up", async () => {
  hangs = true;
  const titles = Array.from({ length: 100 }, (_, n) => `Todo ${n}`);
  const answers = await Promise.all(titles.map((title) => stack.rest("POST", "/todos", { body: { title } })));
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
});

test("OpenTelemetry is loaded in one place, and by nobody who does not ask for traces", async () => {
  const importing: string[] = [];
  for (const path of sources) {
    const text = await textOf(path);
    if (/from "(@opentelemetry|.*\/open-telemetry)/.test(text)) importing.push(path);
  }
  expect(importing).toEqual(["shared/process/observe/open-telemetry.ts"]);
});
