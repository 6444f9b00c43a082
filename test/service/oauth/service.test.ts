import { expect, test } from "bun:test";
import { useSite } from "../../support/pages/support.ts";

const { config, rest } = (await useSite()).stack;

test("what looks like a structured token, which the provider does not introspect, is refused", async () => {
  const odd = ['{"alg":"none"}', '{"sub":"ada"}'].map((part) => Buffer.from(part).toString("base64url"));
  expect((await rest("GET", "/todos", { token: `${odd.join(".")}.` })).status).toBe(401);
});

test("the service and the provider serve the same icon", async () => {
  const icons = [config.baseUrl, config.authUrl].map(async (site) => {
    const { status, headers } = await fetch(`${site}/favicon.svg`);
    return { status, policy: headers.get("content-security-policy"), type: headers.get("content-type") };
  });
  const [service, provider] = await Promise.all(icons);
  expect(service).toMatchObject({ status: 200, type: "image/svg+xml" });
  expect(provider).toEqual(service);
});
