import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";

const { rest, issuer } = await startStack({ workers: 0 });

const dashboard = async (zoneinfo?: string) => {
  const token = await issuer.token({ sub: "ada", ...(zoneinfo && { zoneinfo }) });
  return rest("GET", "/dashboard", { token });
};

test("when a zone cannot be taken over, the request fails instead of being answered for another day", async () => {
  expect(await dashboard("Pacific/Auckland")).toMatchObject({ status: 503, body: { code: "overloaded" } });
});

test("a zone that changes nothing needs no worker", async () => {
  expect((await dashboard("UTC")).status).toBe(200);
  expect((await dashboard()).status).toBe(200);
});
