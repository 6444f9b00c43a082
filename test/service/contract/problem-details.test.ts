import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";

const stack = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "60" } });
const headers = { accept: "application/problem+json, application/json" };
const ask = (method: string, path: string, more: object = {}) =>
  stack.rest(method, path, { headers, ...more });

test("a client that accepts problem details gets each refusal in that form, with the members of the old one", async () => {
  const missing = await ask("GET", "/todos/999");
  expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  expect(missing.headers.get("ratelimit")).toBeString();
  expect(missing.body).toEqual({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: expect.stringContaining("Todo not found"),
    code: "not_found",
  });
  const invalid = await ask("POST", "/todos", { body: {} });
  expect(invalid.body).toMatchObject({
    title: "Unprocessable Entity",
    status: 422,
    errors: { title: ["The title field is required."] },
  });
  const token = await ask("GET", "/todos", { token: "no" });
  expect([token.body.status, token.headers.has("www-authenticate")]).toEqual([401, true]);
  expect((await ask("PATCH", "/dashboard")).body).toMatchObject({ status: 405, code: "method_not_allowed" });
  expect((await ask("GET", "/nowhere")).body).toMatchObject({ status: 404, code: "not_found" });
});

test("all other clients get the old form, and answers that are no refusals stay", async () => {
  for (const accept of ["application/json", "*/*", "application/problem+xml"]) {
    const { body, headers: answered } = await ask("GET", "/todos/999", { headers: { accept } });
    expect(Object.keys(body)).toEqual(["message", "code"]);
    expect(answered.get("content-type")).toContain("application/json");
  }
  const made = await ask("POST", "/todos", { body: { title: "Water" } });
  expect([made.status, made.body.title]).toEqual([201, "Water"]);
});
