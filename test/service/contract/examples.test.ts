import { describe, expect, test } from "bun:test";
import { type Answer, type JsonBody, startStack } from "../../harness.ts";

/** Replays every example of the OpenAPI document and compares the answers with the document's. */
const ofAMinute = 60;
const stack = await startStack({ env: { RATE_LIMIT_PER_MINUTE: String(ofAMinute) } });
const { rest, issuer, clock, config } = stack;
const page = await stack.page();
const document = (await (await fetch(`${config.baseUrl}/openapi.json`)).json()) as JsonBody;
const all = Object.entries<JsonBody>(document.paths).flatMap(([path, methods]) =>
  Object.entries<JsonBody>(methods).map(([method, operation]) => ({ ...operation, method, path })),
);
/** A stream has no whole answer (test/service/change/following.test.ts), and workers change deliveries (test/service/webhook/). */
const operations = all.filter(
  ({ path, responses }: JsonBody) =>
    !responses[200]?.content?.["text/event-stream"] && !path.includes("/deliveries"),
);

type World = Readonly<{ token: string; exact: string; ids: Readonly<Record<string, number | string>> }>;

/** Each operation has its own user, so none sees the changes of another. */
const worlds = new Map<string, World>();
clock.now = Date.parse("2026-11-16T08:30:00Z");
await Promise.all(
  operations.map(async (operation) => worlds.set(operation.operationId, await createWorld(operation))),
);
for (const date of ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"]) {
  clock.now = Date.parse(`${date}T20:15:00Z`);
  const complete = ({ token, ids }: World) => rest("POST", `/habits/${ids.habit_id}/complete`, { token });
  await Promise.all([...worlds.values()].map(complete));
}
clock.now = Date.parse("2026-11-20T08:30:00Z");
const counted = worldOf("listHabitAmounts");
const body = { date: "2026-11-19", amount: 2 };
await rest("POST", `/habits/${counted.ids.habit_id}/complete`, { token: counted.token, body });

const waiting = worldOf("getApproval");
const askFirst = { ask_above: 0, changes_per_day: null, deletions_per_day: null, category_id: null };
await page.send("getApproval", "token.set-rules", {
  token_id: "getApproval",
  asks_deletions: true,
  ...askFirst,
});
const ask = () => rest("DELETE", `/todos/${waiting.ids.todo_id}`, { token: waiting.token });
worlds.set("getApproval", { ...waiting, ids: { ...waiting.ids, approval_id: (await ask()).body.id } });

/** The world of the examples: a category, a habit and a todo with a reminder. `exact` has the operation's scopes only. */
async function createWorld({ operationId: sub, security }: JsonBody): Promise<World> {
  const claims = { sub, jti: sub, client_name: "Claude Code" };
  const isOfWebhooks = /Webhook/.test(sub);
  const token = await issuer.token(claims);
  // A webhook needs the scopes of its events, too; an answer without any scope is about fewer things.
  const scopes = [...security[1].oauth, ...(isOfWebhooks ? ["todos:read"] : [])];
  const exact = scopes.length > 0 ? await issuer.token({ ...claims, scope: scopes.join(" ") }) : token;
  const create = async (path: string, body: object) => (await rest("POST", path, { token, body })).body.id;
  const category_id = await create("/categories", { name: "Health", color: "#16a34a", icon: "heart" });
  const habit = { name: "Read 20 pages", type: "good", frequency: "daily", time_of_day: "evening" };
  const measure = sub === "listHabitAmounts" && { target: 20, unit: "pages" };
  const habit_id = await create("/habits", { ...habit, ...measure });
  const todo_id = await create("/todos", {
    ...{ title: "Call the dentist", due_date: "2026-11-23", time_of_day: "morning" },
    ...{ estimated_minutes: 10, context: "phone", category_id },
  });
  await rest("PUT", `/todos/${todo_id}/reminder`, { token, body: { remind_at: "2026-11-23T09:00" } });
  const hook = { url: "https://n8n.example.org/webhook/kept", events: ["todo.*"] };
  const webhook_id = isOfWebhooks ? await create("/webhooks", hook) : 0;
  return { token, exact, ids: { category_id, habit_id, todo_id, webhook_id } };
}

function worldOf(operationId: string): World {
  const world = worlds.get(operationId);
  if (!world) throw new Error(`There is no world for ${operationId}.`);
  return world;
}

/** The example's request, with the ids that its things have here. */
function send({ operationId, method, path, parameters, requestBody }: JsonBody): Promise<Answer> {
  const { exact, ids } = worldOf(operationId);
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, example } of parameters) {
    if (place === "path") address = address.replace(`{${name}}`, ids[name]);
    else if (place === "query" && example !== undefined) query.set(name, String(example));
  }
  const sent = requestBody?.content["application/json"].examples[operationId].value;
  const body = sent && { ...sent, ...(sent.category_id && { category_id: ids.category_id }) };
  return rest(method.toUpperCase(), query.size > 0 ? `${address}?${query}` : address, {
    ...{ token: exact, ...(body && { body }) },
  });
}

/** Removes values that differ between services: ids, the address and times of writing. */
const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body ?? null, (key, value) => {
      if (/^(id|.*_id)$/.test(key) && Number.isInteger(value)) return "id";
      if (key === "id" && uuid.test(value)) return "id";
      if (key === "secret") return "secret";
      if (key === "rate_limit" && value) return Object.keys(value);
      if (/^(created|updated|completed)_at$/.test(key) && value !== null)
        return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) ? "instant" : value;
      if (key === "next_cursor") return /^[\da-f]+(\.\d+){5}$/.test(value) ? "cursor" : value;
      return typeof value === "string" ? value.replace(/https?:\/\/[^/]+/, "") : value;
    }),
  );

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** An answer has every documented header, and no other of the documented ones. */
function expectHeaders({ headers: documented = {} }: JsonBody, { headers }: Answer): void {
  const names = Object.keys(document.components.headers);
  const sent = names.filter((name) => headers.has(name));
  expect(sent.sort()).toEqual(
    Object.keys(documented)
      .filter((name) => name !== "Idempotent-Replayed")
      .sort(),
  );
}

/** The act of a habit that an operation takes back. */
const doneBefore: Readonly<Record<string, string>> = {
  undoHabitCompletion: "complete",
  takeHabitSkipBack: "skip",
};

describe("with exactly its scopes, the service answers as in the example of", () => {
  test.each(operations.map((operation) => [operation.operationId, operation]))(
    "%s",
    async (name, operation) => {
      const { token, ids } = worldOf(name);
      if (doneBefore[name]) await rest("POST", `/habits/${ids.habit_id}/${doneBefore[name]}`, { token });
      const answer = await send(operation);
      const [[status, documented]] = Object.entries<JsonBody>(operation.responses).filter(
        ([, { $ref }]) => $ref === undefined,
      ) as [[string, JsonBody]];
      expect(answer.status).toBe(Number(status));
      const shown = documented.content?.["application/json"].examples[name].value;
      expect(comparable(answer.body)).toEqual(comparable(shown));
      expectHeaders(documented, answer);
      if (answer.status === 201)
        expect(answer.headers.get("location")).toBe(
          `${config.baseUrl}/api/v1${operation.path}/${answer.body.id}`,
        );
    },
  );
});

const errorWorld = { operationId: "errors", security: [{}, { oauth: [] }] };
const { token, ids } = await createWorld(errorWorld);
const done = worldOf("toggleTodo");
const otherScope = await issuer.token({ scope: "todos:read" });
const idle = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "60" }, workers: 0 });
const text = { "content-type": "text/plain" };

/** A request for each documented error, and for the answer without content. */
const errors: Readonly<Record<string, () => Promise<Answer>>> = {
  Unauthenticated: () => rest("GET", "/todos", { token: "" }),
  InsufficientScope: () => rest("GET", "/habits", { token: otherScope }),
  Invalid: () => rest("POST", "/todos", { token, body: {} }),
  MalformedBody: () => rest("POST", "/todos", { token, body: "[]" }),
  UnsupportedMediaType: () => rest("POST", "/todos", { token, body: "{}", headers: text }),
  BodyTooLarge: () => rest("POST", "/todos", { token, body: " ".repeat(65_537) }),
  ApprovalNotFound: () => rest("GET", `/approvals/${crypto.randomUUID()}`, { token }),
  Waiting: ask,
  WebhookNotFound: () => rest("GET", `/webhooks/${crypto.randomUUID()}`, { token }),
  ChangedWebhookNotFound: () => rest("DELETE", `/webhooks/${crypto.randomUUID()}`, { token }),
  ChangedDeliveryNotFound: () =>
    rest("POST", `/webhooks/${crypto.randomUUID()}/deliveries/${crypto.randomUUID()}/send-again`, { token }),
  CategoryNotFound: () => rest("GET", "/categories/999999", { token }),
  HabitNotFound: () => rest("GET", "/habits/999999", { token }),
  ReminderNotFound: () => rest("GET", "/todos/999999/reminder", { token }),
  TodoNotFound: () => rest("GET", "/todos/999999", { token }),
  ChangedCategoryNotFound: () => rest("DELETE", "/categories/999999", { token }),
  ChangedHabitNotFound: () => rest("DELETE", "/habits/999999", { token }),
  ChangedTodoNotFound: () => rest("DELETE", "/todos/999999", { token }),
  CompleteHabitConflict: async () => {
    await rest("POST", `/habits/${ids.habit_id}/complete`, { token });
    return rest("POST", `/habits/${ids.habit_id}/complete`, { token });
  },
  UndoHabitCompletionConflict: async () => {
    await rest("DELETE", `/habits/${ids.habit_id}/complete`, { token });
    return rest("DELETE", `/habits/${ids.habit_id}/complete`, { token });
  },
  SkipHabitDayConflict: async () => {
    await rest("POST", `/habits/${ids.habit_id}/complete`, { token });
    return rest("POST", `/habits/${ids.habit_id}/skip`, { token });
  },
  TakeHabitSkipBackConflict: () => rest("DELETE", `/habits/${ids.habit_id}/skip`, { token }),
  SetReminderConflict: () =>
    rest("PUT", `/todos/${done.ids.todo_id}/reminder`, {
      token: done.token,
      body: { remind_at: "2026-11-23T09:00" },
    }),
  PreconditionFailed: () =>
    rest("DELETE", `/todos/${ids.todo_id}`, { token, headers: { "if-match": '"of another state"' } }),
  NotModified: () => rest("GET", "/todos", { token, headers: { "if-none-match": "*" } }),
  RateLimited: async () => {
    const flooding = await issuer.token({ sub: "flooding" });
    const flood = () => rest("GET", "/todos", { token: flooding });
    await Promise.all(Array.from({ length: ofAMinute }, flood));
    return flood();
  },
  Overloaded: async () => {
    await idle.rest("POST", "/todos", { body: { title: "Nobody is there" } });
    return idle.rest("POST", "/todos", { body: { title: "Still nobody is there" } });
  },
};

test("every documented error is answered with the status, the body and the headers of its example", async () => {
  const { Previewed: _, ...responses } = document.components.responses;
  for (const [name, documented] of Object.entries<JsonBody>(responses)) {
    const provoke = errors[name];
    if (!provoke) throw new Error(`Nothing here makes the service answer ${name}.`);
    const answer = await provoke();
    const shown = documented.content?.["application/json"].examples.refused.value;
    const plain = (body?: JsonBody) =>
      comparable(body && { ...body, message: body.message.replace(/\d+ seconds/, "n seconds") });
    expect([name, plain(answer.body)]).toEqual([name, plain(shown)]);
    expectHeaders(documented, answer);
    const reference = `#/components/responses/${name}`;
    const documentedStatuses = all.flatMap(({ responses }: JsonBody) =>
      Object.entries<JsonBody>(responses).flatMap(([status, { $ref }]) =>
        $ref === reference ? [Number(status)] : [],
      ),
    );
    expect([...new Set(documentedStatuses)]).toEqual([answer.status]);
  }
});

describe("a client that accepts problem details", () => {
  const ask = (method: string, path: string, more: object = {}) =>
    rest(method, path, { headers: { accept: "application/problem+json, application/json" }, ...more });

  test("gets each refusal in that form, with the members of the old one", async () => {
    const missing = await ask("GET", "/todos/999");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(missing.headers.get("ratelimit")).toBeString();
    expect(missing.body).toEqual({
      ...{ type: "about:blank", title: "Not Found", status: 404, code: "not_found" },
      detail: expect.stringContaining("Todo not found"),
    });
    expect((await ask("POST", "/todos", { body: {} })).body).toMatchObject({
      ...{ title: "Unprocessable Entity", status: 422 },
      errors: { title: ["The title field is required."] },
    });
    const unknown = await ask("GET", "/todos", { token: "no" });
    expect([unknown.body.status, unknown.headers.has("www-authenticate")]).toEqual([401, true]);
    const wrongMethod = await ask("PATCH", "/dashboard");
    expect(wrongMethod.body).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect((await ask("GET", "/nowhere")).body).toMatchObject({ status: 404, code: "not_found" });
    const created = await ask("POST", "/todos", { body: { title: "Water" } });
    expect([created.status, created.body.title]).toEqual([201, "Water"]);
  });

  test.each(["application/json", "*/*", "application/problem+xml"])("does not say %s", async (accept) => {
    const { body, headers } = await ask("GET", "/todos/999", { headers: { accept } });
    expect(Object.keys(body)).toEqual(["message", "code"]);
    expect(headers.get("content-type")).toContain("application/json");
  });
});
