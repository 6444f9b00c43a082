import { describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { rest, issuer, config } = await useStack();

const habit = { name: "Read", type: "good", frequency: "daily" };
const emojiFlag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";

describe("422 names the field", () => {
  test.each([
    ["/habits", {}, ["name", "type", "frequency"]],
    ["/habits", { ...habit, name: "  " }, ["name"]],
    ["/habits", { ...habit, name: "x".repeat(256) }, ["name"]],
    ["/habits", { ...habit, name: "a\u0000b" }, ["name"]],
    ["/habits", { ...habit, name: "a\nb" }, ["name"]],
    ["/habits", { ...habit, name: "a\ud800b" }, ["name"]],
    ["/habits", { ...habit, name: "hidden \u{E0041}" }, ["name"]],
    ["/habits", { ...habit, name: 5 }, ["name"]],
    ["/habits", { ...habit, type: "ugly" }, ["type"]],
    ["/habits", { ...habit, frequency: "hourly" }, ["frequency"]],
    ["/habits", { ...habit, time_of_day: "noon" }, ["time_of_day"]],
    ["/habits", { ...habit, grace_days: 31 }, ["grace_days"]],
    ["/habits", { ...habit, grace_days: -1 }, ["grace_days"]],
    ["/habits", { ...habit, grace_days: "1" }, ["grace_days"]],
    ["/habits", { ...habit, grace_days: 1.5 }, ["grace_days"]],
    ["/habits", { ...habit, category_id: 999_999 }, ["category_id"]],
    ["/habits", { ...habit, category_id: "1" }, ["category_id"]],
    ["/habits", { ...habit, description: "x".repeat(5_001) }, ["description"]],
    ["/habits", { ...habit, schedule: { every_days: 2 } }, ["schedule"]],
    ["/habits", { ...habit, frequency: "custom", schedule: { every_days: 0 } }, ["schedule"]],
    ["/habits", { ...habit, frequency: "custom", schedule: { weekdays: [8] } }, ["schedule"]],
    ["/habits", { ...habit, frequency: "custom", schedule: { weekdays: [1], every_days: 1 } }, ["schedule"]],
    ["/todos", {}, ["title"]],
    ["/todos", { title: null }, ["title"]],
    ["/todos", { title: "x", due_date: "2026-02-30" }, ["due_date"]],
    ["/todos", { title: "x", due_date: "2026-2-3" }, ["due_date"]],
    ["/todos", { title: "x", estimated_minutes: 0 }, ["estimated_minutes"]],
    ["/todos", { title: "x", estimated_minutes: 100_001 }, ["estimated_minutes"]],
    ["/todos", { title: "x", context: "x".repeat(101) }, ["context"]],
    ["/todos", { title: "x", recurrence: "FREQ=SECONDLY" }, ["recurrence"]],
    ["/todos", { title: "x", remind_at: "2099-11-21T09:00" }, ["remind_at"]],
    ["/todos", { title: "x", due_time: "14:30" }, ["due_time"]],
    ...["24:00", "9:00", "14:60", "14:30:00", "noon", 14].map(
      (due_time) => ["/todos", { title: "x", due_date: "2026-12-01", due_time }, ["due_time"]] as const,
    ),
    ["/categories", {}, ["name"]],
    ["/categories", { name: "x", color: "red" }, ["color"]],
    ["/categories", { name: "x", icon: "Home!" }, ["icon"]],
  ] as const)("POST %s %j", async (path, body, fields) => {
    const answer = await rest("POST", path, { body });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(["errors", "message"]);
    expect(Object.keys(answer.body.errors)).toEqual([...fields]);
    for (const sentences of Object.values(answer.body.errors))
      expect(sentences).toEqual([expect.stringContaining("field")]);
  });

  test.each([
    "/habits?page=0",
    "/habits?page=0x10",
    "/habits?page=1.0",
    "/habits?page=",
    "/habits?completed_today=yes",
    "/habits?frequency=hourly",
    "/todos?status=done",
    "/todos?due=tomorrow",
    "/todos?time_of_day=noon",
    "/categories?page=-1",
    "/todos?q=",
    "/todos?q=%20",
    `/todos?q=${"x".repeat(256)}`,
    "/todos?q=%00",
    "/todos?category_id=x",
    "/todos?due_from=2026-02-30",
    "/habits?due=tomorrow",
  ])("GET %s", async (path) => {
    const answer = await rest("GET", path);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([/\?(\w+)=/.exec(path)?.[1] ?? ""]);
  });
});

describe("accepted and stored in one form", () => {
  test("names are trimmed, composed and counted in code points", async () => {
    const { status, body } = await rest("POST", "/categories", {
      body: JSON.stringify({ name: `  e\u0301${"𝒳".repeat(254)}  ` }),
    });
    expect([status, body.name]).toEqual([201, `é${"𝒳".repeat(254)}`]);
  });

  test("an emoji flag keeps its tag characters", async () => {
    const { body } = await rest("POST", "/todos", { body: { title: `Visit ${emojiFlag}` } });
    expect(body.title).toBe(`Visit ${emojiFlag}`);
  });

  test("a short color becomes six lower-case digits; a missing or null one the default", async () => {
    const colors = ["#ABC", "#A1B2C3", null, undefined];
    const stored = [];
    for (const color of colors)
      stored.push((await rest("POST", "/categories", { body: { name: "x", color } })).body.color);
    expect(stored).toEqual(["#aabbcc", "#a1b2c3", "#6b7280", "#6b7280"]);
  });

  test("blank description and context are stored as null, newlines and tabs in a description are kept", async () => {
    const blank = await rest("POST", "/todos", { body: { title: "x", description: " ", context: "" } });
    expect([blank.body.description, blank.body.context]).toEqual([null, null]);
    const kept = await rest("POST", "/todos", { body: { title: "x", description: "a\n\tb" } });
    expect(kept.body.description).toBe("a\n\tb");
  });
});

describe("PUT and PATCH", () => {
  test("PUT demands the required fields, PATCH none; omitted fields keep their value, null clears", async () => {
    const { body } = await rest("POST", "/todos", {
      body: { title: "x", context: "home", estimated_minutes: 5 },
    });
    const path = `/todos/${body.id}`;
    expect((await rest("PUT", path, { body: { context: "work" } })).status).toBe(422);
    const put = await rest("PUT", path, { body: { title: "y", context: null } });
    expect(put.body).toMatchObject({ title: "y", context: null, estimated_minutes: 5 });
    const patched = await rest("PATCH", path, { body: { estimated_minutes: null } });
    expect(patched.body).toMatchObject({ title: "y", estimated_minutes: null });
    expect((await rest("PATCH", path, { body: { title: null } })).status).toBe(422);
  });

  test("null for grace_days and color means the default", async () => {
    const made = await rest("POST", "/habits", { body: { ...habit, grace_days: 5 } });
    const { body } = await rest("PATCH", `/habits/${made.body.id}`, { body: { grace_days: null } });
    expect(body.grace_days).toBe(1);
    const category = await rest("POST", "/categories", { body: { name: "x", color: "#000000" } });
    const patched = await rest("PATCH", `/categories/${category.body.id}`, { body: { color: null } });
    expect(patched.body.color).toBe("#6b7280");
  });
});

describe("bodies that are no JSON object", () => {
  const send = (body: string, headers: Record<string, string>) => rest("POST", "/todos", { body, headers });
  const json = { "content-type": "application/json" };

  test.each([
    ["malformed JSON", "{", json, 400],
    ["a bare null", "null", json, 400],
    ["100,000 brackets", "[".repeat(30_000), json, 400],
    ["a form", "title=x", { "content-type": "application/x-www-form-urlencoded" }, 415],
  ] as const)("%s", async (_, body, headers, status) => {
    const answer = await send(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ message: expect.any(String), code: expect.any(String) });
  });

  test("invalid UTF-8 is 400", async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const headers = { ...json, authorization: `Bearer ${await issuer.token()}` };
    const address = `${config.baseUrl}/api/v1/todos`;
    const answer = await fetch(address, { method: "POST", headers, body: bytes });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("must be UTF-8")]);
    const zipped = { ...headers, "content-encoding": "gzip" };
    const refused = await fetch(address, { method: "POST", headers: zipped, body: Bun.gzipSync("{}") });
    expect([refused.status, refused.headers.get("accept-encoding")]).toEqual([415, "identity"]);
  });
});

test("__proto__ and constructor are unknown fields like any other", async () => {
  const body = '{"title":"x","__proto__":{"is_completed":true},"constructor":1}';
  const answer = await rest("POST", "/todos", { body });
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["__proto__", "constructor"]]);
});

test("a long list that repeats itself is refused at once", async () => {
  const schedule = { weekdays: Array.from({ length: 30_000 }, () => 1) };
  const body = { name: "Read", type: "good", frequency: "custom", schedule };
  const refused = await rest("POST", "/habits", { body });
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["schedule"]]);
});
