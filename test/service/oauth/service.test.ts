import { expect, test } from "bun:test";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { stack, identity } = await useSite();
const { config, rest } = stack;

test("a personal token opens the service, until it is revoked", async () => {
  const token = await tokenByForm(await signedUp(identity.config), "Script");
  const status = async (method: string, body?: object) =>
    (await rest(method, "/todos", { token, ...(body && { body }) })).status;
  expect(await status("POST", { title: "Water the plants" })).toBe(201);
  const { jti } = await identity.introspect(token);
  await identity.sql(`delete from identity.grants where id = '${jti}'`);
  await eventually(async () => (await status("GET")) === 401);
});

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
