import { describe, expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { useStack } from "../../harness.ts";

/**
 * The refusals of every endpoint. Its answer with exactly its scopes is in test/service/contract/examples.test.ts, and
 * the list of them in docs/openapi.json, which a test compares.
 */
const { rest, issuer, config, clock } = await useStack({ travels: true });
clock.now = Date.parse("2026-11-20T08:30:00Z");
const made = async (path: string, body: object): Promise<number> =>
  (await rest("POST", path, { body })).body.id;
const uuid = crypto.randomUUID();
const ids: Readonly<Record<string, number | string>> = {
  ...{ approval_id: uuid, webhook_id: uuid, delivery_id: uuid },
  habit_id: await made("/habits", { name: "Read", type: "good", frequency: "daily" }),
  todo_id: await made("/todos", { title: "Write" }),
  category_id: await made("/categories", { name: "Home" }),
};

const routes = contracts.flatMap(({ scopes, rest: list = [] }) =>
  list.map(({ method, path, example }) => [method, path, scopes, { ...example.input }] as const),
);

describe.each(routes)(
  "%s %s",
  (method, template, scopes, { category_id: _, ...example }: Record<string, unknown>) => {
    const path = template.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));
    const fields = Object.entries(example).filter(([name]) => !template.includes(`{${name}}`));
    const hasBody = /POST|PUT|PATCH/.test(method) && fields.length > 0;
    const call = (address: string, token: string) =>
      rest(method, address, { token, ...(hasBody && { body: Object.fromEntries(fields) }) });

    test("needs a token, and each of its scopes", async () => {
      const anonymous = await call(path, "");
      expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer realm="kept", resource_metadata="${config.baseUrl}/.well-known/oauth-protected-resource"`,
      ]);
      for (const missing of scopes) {
        const scope = allScopes.filter((one) => one !== missing).join(" ");
        const { status, headers, body } = await call(path, await issuer.token({ scope }));
        expect([status, body]).toEqual([403, { message: expect.any(String), code: "insufficient_scope" }]);
        const asked = `error="insufficient_scope", scope="${scopes.join(" ")}"`;
        expect(headers.get("www-authenticate")).toContain(asked);
      }
    });

    test("refuses an unknown query parameter, and an unknown field", async () => {
      const { status, body } = await rest(method, `${path}?nonsense=1`);
      expect([status, Object.keys(body.errors)[0]]).toEqual([422, "nonsense"]);
      expect(body.message).toStartWith("nonsense is not a parameter of this request, which takes ");
      if (method === "GET") return;
      const sent = await rest(method, path, { body: JSON.stringify({ nonsense: null }) });
      expect([sent.status, Object.keys(sent.body.errors)[0]]).toEqual([422, "nonsense"]);
      expect(sent.body.errors.nonsense[0]).toMatch(
        /^nonsense is not a field of (a (habit|todo|category|reminder|webhook)|this request)/,
      );
    });

    if (!template.includes("{")) return;
    test("answers 404 to an unknown id, to another user's, and to one that is no id", async () => {
      const [own, eve] = [await issuer.token(), await issuer.token({ sub: crypto.randomUUID() })];
      for (const [id, token] of [
        ["", eve],
        ...["9007199254740991", "9007199254740992", "0x1", "01"].map((id) => [id, own] as const),
      ] as const) {
        const target = template.replace(/\{(\w+)\}/g, (_, name) => id || String(ids[name]));
        const answer = await call(target, token);
        expect([target, answer.status, answer.body.code]).toEqual([target, 404, "not_found"]);
      }
    });
  },
);

test("an unknown method answers 405 with Allow, an unknown path 404, before any authentication", async () => {
  const wrongMethod = await rest("PATCH", "/dashboard", { token: "" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET"]);
  expect(wrongMethod.body.code).toBe("method_not_allowed");
  const unknown = await rest("GET", "/nothing", { token: "" });
  expect([unknown.status, unknown.body.code]).toEqual([404, "not_found"]);
});
