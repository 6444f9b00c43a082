import { describe, expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import { type Answer, useStack } from "../../harness.ts";

/** Every row of the interface's endpoint tables: method, path, needed scopes, status of success. */
const rows = [
  ["GET", "/me", [], 200],
  ["GET", "/quick-add", [], 200],
  ["GET", "/dashboard", ["habits:read", "todos:read"], 200],
  ["GET", "/changes", ["habits:read", "todos:read", "categories:read"], 200],
  ["GET", "/habits", ["habits:read"], 200],
  ["GET", "/habits/{habit}", ["habits:read"], 200],
  ["GET", "/habits/{habit}/completions", ["habits:read"], 200],
  ["GET", "/habits/{habit}/amounts", ["habits:read"], 200],
  ["POST", "/habits", ["habits:write"], 201],
  ["PUT", "/habits/{habit}", ["habits:write"], 200],
  ["PATCH", "/habits/{habit}", ["habits:write"], 200],
  ["POST", "/habits/{habit}/complete", ["habits:write"], 200],
  ["DELETE", "/habits/{habit}/complete", ["habits:write"], 200],
  ["POST", "/habits/{habit}/skip", ["habits:write"], 200],
  ["DELETE", "/habits/{habit}/skip", ["habits:write"], 200],
  ["DELETE", "/habits/{habit}", ["habits:write"], 204],
  ["GET", "/todos", ["todos:read"], 200],
  ["GET", "/todos/{todo}", ["todos:read"], 200],
  ["POST", "/todos", ["todos:write"], 201],
  ["PUT", "/todos/{todo}", ["todos:write"], 200],
  ["PATCH", "/todos/{todo}", ["todos:write"], 200],
  ["GET", "/todos/{todo}/reminder", ["todos:read"], 200],
  ["PUT", "/todos/{todo}/reminder", ["todos:write"], 200],
  ["DELETE", "/todos/{todo}/reminder", ["todos:write"], 204],
  ["POST", "/todos/{todo}/toggle", ["todos:write"], 200],
  ["DELETE", "/todos/{todo}", ["todos:write"], 204],
  ["GET", "/categories", ["categories:read"], 200],
  ["GET", "/categories/{category}", ["categories:read"], 200],
  ["POST", "/categories", ["categories:write"], 201],
  ["PUT", "/categories/{category}", ["categories:write"], 200],
  ["PATCH", "/categories/{category}", ["categories:write"], 200],
  ["DELETE", "/categories/{category}", ["categories:write"], 204],
  ["POST", "/batch", [], 200],
] as const;

/** The names of the interface, and those that are declared since. */
const withNew = (names: string[], declared: object): string[] => {
  const hidden = ["category_id", "completed_on", "recurrence_anchor"];
  return [...new Set([...names, ...Object.keys(declared).filter((name) => !hidden.includes(name))])];
};

const category = ["id", "name", "color", "icon", "created_at", "updated_at"];
const habit = [
  ...[
    "id",
    "name",
    "type",
    "frequency",
    "schedule",
    "time_of_day",
    "description",
    "streak_count",
    "longest_streak",
  ],
  ...["remind_at", "reaches", "choose_channel_at", "paused_from", "paused_through", "skipped_dates"],
  ...["streak_alive_through", "grace_days", "is_completed_today", "completions_count", "category"],
  ...["target", "unit", "amount_today", "recent_amounts", "written_by", "created_at", "updated_at"],
];
const todo = [
  ...[
    "id",
    "title",
    "description",
    "due_date",
    "due_time",
    "time_of_day",
    "estimated_minutes",
    "context",
    "is_completed",
  ],
  ...[
    "is_overdue",
    "is_important",
    "recurrence",
    "recurrence_from",
    "completed_at",
    "next_todo_id",
    "reminder",
    "category",
  ],
  ...["written_by", "created_at", "updated_at"],
];
const reminder = [
  "todo_id",
  "remind_at",
  "local_time",
  "time_zone",
  "status",
  "reaches",
  "choose_channel_at",
];
const changes = ["data", "next_cursor", "has_more"];
const me = [
  "today",
  "time_zone",
  "day_start_hour",
  "reminders_reach",
  "scopes",
  "client_name",
  "rules",
  "rate_limit",
];
const quickAdd = ["today", "time_zone", "todo", "habit", "category", "remind_at", "alternatives"];
const dashboard = ["habits", "todos", "activity_strip", "stats"];

const bodies: Record<string, object> = {
  habits: { name: "Read", type: "good", frequency: "daily" },
  todos: { title: "Write" },
  reminder: { remind_at: "2099-01-01T09:00:00Z" },
  categories: { name: "Home" },
  batch: { operations: [{ method: "POST", path: "/categories", body: { name: "Home" } }] },
};

const { rest, issuer, config } = await useStack();

async function call(method: string, path: string, token: string): Promise<Answer> {
  const resource = path.includes("reminder") ? "reminder" : (path.split("/")[1] ?? "");
  const body = method === "POST" || method === "PUT" || method === "PATCH" ? bodies[resource] : undefined;
  const withBody = !/\/(complete|skip|toggle)$/.test(path);
  return rest(method, path, { token, ...(body && withBody && { body }) });
}

async function fixture(path: string): Promise<string> {
  let filled = path === "/quick-add" ? `${path}?line=Milk` : path;
  for (const [name, collection] of [
    ["habit", "habits"],
    ["todo", "todos"],
    ["category", "categories"],
  ] as const) {
    if (!path.includes(`{${name}}`)) continue;
    const { body } = await rest("POST", `/${collection}`, { body: bodies[collection] });
    filled = filled.replace(`{${name}}`, String(body.id));
  }
  return filled;
}

function shapeOf(path: string): string[] {
  if (path.endsWith("/reminder")) return reminder;
  if (/\/(completions|amounts)$/.test(path)) return ["data"];
  if (path === "/me") return me;
  if (path === "/quick-add") return quickAdd;
  if (path.startsWith("/dashboard")) return dashboard;
  if (path.startsWith("/changes")) return changes;
  if (path === "/batch") return ["results"];
  if (path.startsWith("/habits")) return withNew(habit, habitFields);
  if (path.startsWith("/todos")) return withNew(todo, todoFields);
  return path.startsWith("/categories") ? withNew(category, categoryFields) : [];
}

describe.each(rows)("%s %s", (method, template, scopes, status) => {
  test("succeeds with exactly its scopes", async () => {
    const path = await fixture(template);
    if (method === "DELETE" && /\/(complete|skip)$/.test(path)) await rest("POST", path);
    if (method === "GET" && path.endsWith("/reminder")) await rest("PUT", path, { body: bodies.reminder });
    const answer = await call(method, path, await issuer.token({ scope: scopes.join(" ") }));
    expect(answer.status).toBe(status);
    if (status === 204) return expect(answer.body).toBeUndefined();
    const isList = method === "GET" && /^\/(habits|todos|categories)$/.test(template);
    const keys = isList ? ["data", "links", "meta"] : shapeOf(template);
    expect(Object.keys(answer.body).sort()).toEqual([...keys].sort());
    if (status === 201) {
      expect(answer.headers.get("location")).toBe(`${config.baseUrl}/api/v1${template}/${answer.body.id}`);
    }
  });

  test.each([...scopes])("is refused with 403 without %s", async (missing) => {
    const path = await fixture(template);
    const others = allScopes.filter((scope) => scope !== missing);
    const answer = await call(method, path, await issuer.token({ scope: others.join(" ") }));
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ message: expect.any(String), code: "insufficient_scope" });
    expect(answer.headers.get("www-authenticate")).toContain(
      `error="insufficient_scope", scope="${scopes.join(" ")}"`,
    );
  });

  test("is refused with 401 without a token, and names the metadata", async () => {
    const path = template.replace(/\{\w+\}/, "1");
    const answer = await rest(method, path, { token: "" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer realm="kept", resource_metadata="${config.baseUrl}/.well-known/oauth-protected-resource"`,
    );
  });

  if (template.includes("{")) {
    test("answers 404 to an unknown id, to another user's, and to one that is no id", async () => {
      const path = await fixture(template);
      const foreign = await issuer.token({ sub: "eve" });
      for (const [target, token] of [
        [path, foreign],
        [path.replace(/\d+/, "9007199254740991"), await issuer.token()],
        [path.replace(/\d+/, "9007199254740992"), await issuer.token()],
        [path.replace(/\d+/, "0x1"), await issuer.token()],
        [path.replace(/\d+/, "01"), await issuer.token()],
      ] as const) {
        const answer = await call(method, target, token);
        expect([target, answer.status, answer.body.code]).toEqual([target, 404, "not_found"]);
      }
    });
  }
});

/** Only a request that waits has the first address (test/service/approval/ask.test.ts), and a stream has no end (test/service/change/following.test.ts). */
const triedElsewhere = [
  "GET /approvals/{approval}",
  "GET /changes/stream",
  // Their ids are no numbers (test/service/webhook/webhooks.test.ts).
  "DELETE /webhooks/{webhook}",
  "GET /webhooks",
  "GET /webhooks/{webhook}",
  "GET /webhooks/{webhook}/deliveries",
  "PATCH /webhooks/{webhook}",
  "POST /webhooks",
  "POST /webhooks/{webhook}/deliveries/{delivery}/send-again",
];

test("no route exists beside the table", () => {
  const table = rows.map(([method, path]) => `${method} ${path}`);
  const routes = contracts.flatMap(({ rest: list = [] }) =>
    list.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)_id\}/g, "{$1}")}`),
  );
  expect(routes.sort()).toEqual([...table, ...triedElsewhere].sort());
});

test("an unknown method answers 405 with Allow, an unknown path 404, before any authentication", async () => {
  const wrongMethod = await rest("PATCH", "/dashboard", { token: "" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET"]);
  expect(wrongMethod.body.code).toBe("method_not_allowed");
  const unknown = await rest("GET", "/nothing", { token: "" });
  expect([unknown.status, unknown.body.code]).toEqual([404, "not_found"]);
});
