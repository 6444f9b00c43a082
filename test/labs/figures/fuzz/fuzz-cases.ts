import fc from "fast-check";
import { contracts } from "../../../../shared/contracts/catalogue.ts";
import { oddGroups } from "../../../support/odd-groups.ts";
import { latin, rawRequests } from "./fuzz-raw.ts";

export type FuzzContext = Readonly<{ baseUrl: string; token: string; ids: Record<string, number> }>;

/** A request for fetch, or the bytes of one (latin1) for a socket. */
export type FuzzCase = Readonly<{ path: string; init: RequestInit }> | Readonly<{ raw: string }>;

const routes = contracts.flatMap(({ input, rest: list = [] }) =>
  list.map(({ method, path }) => {
    const fields = Object.keys(input.properties).filter((name) => !path.includes(name));
    return { method, path: `/api/v1${path}`, fields };
  }),
);
const tools = contracts.flatMap(({ mcp }) => (mcp ? [mcp] : []));

/** Values that have broken services before, beside plain ones that pass. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    "",
    " ",
    "x",
    "1",
    "daily",
    "custom",
    "good",
  ),
  fc.constantFrom<unknown>(
    "morning",
    "due",
    "#fff",
    "\u0000",
    "\ud800",
    "2026-12-31",
    "0001-01-01",
    "9999-12-31",
  ),
  fc.constantFrom<unknown>("FREQ=DAILY", "FREQ=YEARLY;BYMONTHDAY=29", "2099-01-01T09:00", "constructor"),
  fc.constantFrom<unknown>(
    { every_days: 365 },
    { weekdays: [7, 1] },
    { times_per_week: 1e9 },
    ["title"],
    [{}],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 100 }),
);
const strangeNames = ["page", "idempotency_key", "__proto__", "constructor", "toString", "nonsense"];
const fieldsOf = (known: readonly string[]) => fc.dictionary(mostlyKnown(known), value, { maxKeys: 6 });

/** An unknown name is refused before anything else happens, so few requests have one. */
const mostlyKnown = (known: readonly string[]) =>
  fc.oneof(
    { weight: known.length > 0 ? 30 : 0, arbitrary: fc.constantFrom(...known, "id") },
    { weight: 1, arbitrary: fc.constantFrom(...strangeNames) },
  );

const oddIds = [
  "1",
  "9007199254740991",
  "9007199254740992",
  "0",
  "-1",
  "1e3",
  "%00",
  "%D9%A1",
  "9".repeat(30),
];
const id = fc.option(fc.constantFrom(...oddIds), { nil: undefined, freq: 4 });

/** Fills in a real id unless another is given. Rows that later cases need are not deleted. */
function addressOf(route: (typeof routes)[number], { ids }: FuzzContext, odd?: string): string {
  const removes = route.method === "DELETE" && !route.path.endsWith("/complete");
  return route.path.replace(/\{(\w+)\}/, (_, name: string) => odd ?? String(removes ? 1 : ids[name]));
}

const jsonHeaders = ({ token }: FuzzContext): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
});

/** Calls of each REST route, and raw requests of any. */
export function restCases(context: FuzzContext): fc.Arbitrary<FuzzCase> {
  const calls = fc.constantFrom(...routes).chain((route) =>
    fc
      .record({
        id,
        fields: fieldsOf(route.fields),
        body: fc.option(fc.string({ unit: "binary", maxLength: 200 }), { nil: undefined, freq: 4 }),
        key: fc.string({ unit: "grapheme-ascii", maxLength: 260 }),
      })
      .map(({ id, fields, body, key }): FuzzCase => {
        const address = addressOf(route, context, id);
        const headers = { ...jsonHeaders(context), ...(key.trim() && { "idempotency-key": key.trim() }) };
        const { method } = route;
        if (method === "GET" || (method === "DELETE" && body === undefined))
          return { path: `${address}?${queryOf(fields)}`, init: { method, headers } };
        return { path: address, init: { method, headers, body: body ?? JSON.stringify(fields) } };
      }),
  );
  const groups = oddGroups(value, context.ids).map((body): FuzzCase => {
    const init = { method: "POST", headers: jsonHeaders(context), body: JSON.stringify(body) };
    return { path: "/api/v1/batch", init };
  });
  const path = fc.constantFrom(...routes).map((route) => addressOf(route, context));
  const body = fc.oneof(fieldsOf(["title", "name"]).map(ascii), latin);
  return fc.oneof(
    { weight: 4, arbitrary: calls },
    { weight: 1, arbitrary: groups },
    { weight: 5, arbitrary: rawRequests({ token: context.token, path, body }).map((raw) => ({ raw })) },
  );
}

function queryOf(fields: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, one] of Object.entries(fields))
    query.set(name, typeof one === "string" ? one : JSON.stringify(one));
  return query;
}

/** JSON that is the same in any encoding. */
const ascii = (body: unknown): string =>
  JSON.stringify(body).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Messages to /mcp, and raw requests to it. */
export function mcpCases(context: FuzzContext): fc.Arbitrary<FuzzCase> {
  const message = rpcMessage(context);
  const text = fc.oneof(
    { weight: 6, arbitrary: message.map((one) => JSON.stringify(one)) },
    fc.array(message, { maxLength: 3 }).map((batch) => JSON.stringify(batch)),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  const headers = jsonHeaders(context);
  const calls = text.map((body): FuzzCase => ({ path: "/mcp", init: { method: "POST", headers, body } }));
  const path = fc.constant("/mcp");
  const raw = rawRequests({ token: context.token, path, body: message.map(ascii) });
  return fc.oneof(
    calls,
    raw.map((raw) => ({ raw })),
  );
}

const otherMethods = [
  "initialize",
  "tools/list",
  "ping",
  "notifications/initialized",
  "resources/list",
  "__proto__",
];

function rpcMessage({ ids }: FuzzContext): fc.Arbitrary<unknown> {
  const strange = fc.oneof(fc.constantFrom("__proto__", "constructor", ""), fc.string({ unit: "binary" }));
  const call = fc.constantFrom(...tools).chain((tool) => {
    const fields = fieldsOf(Object.keys(tool.arguments.properties));
    const args = fc.oneof(
      { weight: 3, arbitrary: fields },
      { weight: 3, arbitrary: fields.map((one) => ({ ...one, ...ids })) },
      value,
    );
    return fc.record({ name: usually(fc.constant(tool.name), strange), arguments: args });
  });
  const method = usually(fc.constant("tools/call"), fc.constantFrom(...otherMethods));
  return fc.record(
    {
      jsonrpc: usually(fc.constant("2.0"), value),
      id: usually(fc.integer(), value),
      method: usually(method, value),
      params: usually(call, value),
    },
    { requiredKeys: ["method"] },
  );
}

const usually = (one: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: one }, other);
