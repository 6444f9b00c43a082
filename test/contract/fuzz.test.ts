import { expect, test } from "bun:test";
import fc from "fast-check";
import { contracts } from "../../shared/contracts/catalogue.ts";
import { startStack } from "../harness.ts";

const { rest } = await startStack();
const habit = (await rest("POST", "/habits", { body: { name: "h", type: "good", frequency: "daily" } })).body
  .id;
const todo = (await rest("POST", "/todos", { body: { title: "t" } })).body.id;
const category = (await rest("POST", "/categories", { body: { name: "c" } })).body.id;

const routes = contracts.flatMap(({ input, rest: list = [] }) =>
  list.map(({ method, path }) => ({ method, path, fields: Object.keys(input.properties) })),
);

/** Values that have broken services before, beside plain ones that pass. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      false,
      0,
      1,
      -1,
      1.5,
      1e308,
      9007199254740991,
      9007199254740992,
      -0,
      "",
      " ",
      "x",
      "1",
      "0x10",
    ],
    ...[
      "daily",
      "weekly",
      "custom",
      "good",
      "morning",
      "due",
      "completion",
      "#fff",
      "\u0000",
      "\ud800",
      "\u{E0041}",
    ],
    ...[
      "2026-12-31",
      "0001-01-01",
      "9999-12-31",
      "2026-02-30",
      "2099-01-01T09:00",
      "9999-12-31T23:59:59-12:00",
    ],
    ...[
      "0001-01-01T00:00:00+14:00",
      "2099-06-31T00:00Z",
      "+275760-09-13T00:00Z",
      "2099-01-01T24:00",
      "2099-12-31T23:59:60Z",
    ],
    ...[
      "FREQ=DAILY",
      "FREQ=YEARLY;BYMONTHDAY=29",
      "FREQ=MONTHLY;BYDAY=5FR;COUNT=99",
      "FREQ=DAILY;UNTIL=19700101",
      "RRULE:",
    ],
    ...[
      { every_days: 365 },
      { weekdays: [1, 1] },
      { weekdays: [7, 1] },
      { times_per_week: 7 },
      { times_per_week: 1e9 },
    ],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 300 }),
);

const pathId = fc.constantFrom(
  "real",
  "1",
  "9007199254740991",
  "0",
  "-1",
  "1e3",
  "%00",
  "١",
  "99999999999999999999",
);

const request = fc.constantFrom(...routes).chain(({ method, path, fields }) =>
  fc.record({
    method: fc.constant(method),
    path: fc.constant(path),
    id: fc.oneof({ weight: 4, arbitrary: fc.constant("real") }, pathId),
    fields: fc.dictionary(fc.constantFrom(...fields, "page", "__proto__", "nonsense"), value, { maxKeys: 6 }),
    key: fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 260 }), { nil: undefined }),
  }),
);

function addressOf(path: string, id: string): string {
  const real = path.includes("habit_id") ? habit : path.includes("todo_id") ? todo : category;
  return path.replace(/\{\w+\}/, id === "real" ? String(real) : id);
}

test("nothing that a client sends makes a 5xx", async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, id, fields, key }) => {
      if (method === "DELETE" && !path.endsWith("/complete") && id === "real") return;
      const query = new URLSearchParams();
      for (const [name, text] of Object.entries(fields)) {
        query.set(name, typeof text === "string" ? text : JSON.stringify(text));
      }
      const reads = method === "GET";
      const answer = await rest(method, `${addressOf(path, id)}${reads ? `?${query}` : ""}`, {
        ...(!reads && { body: JSON.stringify(fields) }),
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      });
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400) expect(answer.body.message).toBeString();
      if (answer.status === 422) expect(Object.keys(answer.body).sort()).toEqual(["errors", "message"]);
    }),
    { numRuns: 3_000 },
  );
});

test("no body of raw bytes makes a 5xx", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (body) => {
      expect((await rest("POST", "/todos", { body })).status).toBeOneOf([400, 422]);
    }),
    { numRuns: 300 },
  );
});
