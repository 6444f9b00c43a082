import { expect, test } from "bun:test";
import { tokenGuides } from "../../../../api/web/connect-guides.ts";
import { tokenIn } from "../../../support/identity/support.ts";
import { callsOf, cardsOf, textOf } from "../../../support/pages/plain.ts";
import { signedUpPerson, useSite } from "../../../support/pages/support.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const site = await useSite();
const { stack, identity } = site;
const tokensPath = "/profile/api-tokens";

test("a person makes a token of two scopes, sees its lines and what it did, and ends it on both doors", async () => {
  const { browser } = await signedUpPerson(site);
  const chosen = { name: "Laptop script", preset: "custom", scope: ["todos:read", "todos:write"] };
  const made = await browser.submit(await browser.open(tokensPath), tokensPath, chosen);
  const token = tokenIn(made);
  const lines = [...made.text.matchAll(/<pre class="lines"[^>]*><code class="secret">([^<]*)</g)];
  const guides = tokenGuides(stack.config.baseUrl, token).map((guide) => Bun.escapeHTML(guide.lines));
  expect(lines.map(([, text]) => text)).toEqual([token, ...guides]);

  const { answer, call } = callsOf(stack, token);
  const { status, body } = await answer("POST", "/todos", { title: "Water the plants" });
  expect([status, (await answer("GET", "/habits")).status]).toEqual([201, 403]);
  expect((await call("toggle-todo", { todo_id: body.id })).status).toBe(200);
  expect((await call("get-today-habits")).status).toBe(403);
  const [refused = "", changed = ""] = cardsOf(await browser.open("/account/actions"));
  expect(refused).toContain("Tried to look at the habits");
  expect(refused).toContain("Not permitted");
  expect(textOf({ ...made, text: changed })).toMatch(/the todo Water the plants.*Laptop script/);

  const { jti: id } = await identity.introspect(token);
  await browser.submit(await browser.open(tokensPath), `${tokensPath}/revoke`, { id: String(id) });
  expect(textOf(await browser.open(tokensPath))).toContain("You have none");
  await eventually(async () => (await answer("GET", "/todos")).status === 401);
  await eventually(async () => (await call("get-pending-todos")).status === 401);
});

test("a webhook of a token posts only what the token may still read, and ends with it", async () => {
  const { browser } = await signedUpPerson(site);
  const scope = ["todos:read", "categories:read", "webhooks:write"];
  const chosen = { name: "Hooks", preset: "custom", scope };
  const token = tokenIn(await browser.submit(await browser.open(tokensPath), tokensPath, chosen));
  const { answer } = callsOf(stack, token);
  const events = ["todo.*", "category.*"];
  const made = await answer("POST", "/webhooks", { url: "https://example.org/hook", events });
  expect(made.status).toBe(201);
  const { jti } = await identity.introspect(token);
  const id = String(jti);
  const change = await browser.open(`${tokensPath}/change?id=${id}`);
  await browser.submit(change, `${tokensPath}/change`, {
    id,
    name: "Hooks",
    scope: ["todos:read", "webhooks:write"],
  });
  const eventsNow = async () => (await answer("GET", `/webhooks/${made.body.id}`)).body.events;
  await eventually(async () => (await eventsNow()).length === 1, 15_000);
  expect(await eventsNow()).toEqual(["todo.*"]);
  await browser.submit(await browser.open(tokensPath), `${tokensPath}/revoke`, { id });
  await eventually(async () => textOf(await browser.open("/account/webhooks")).includes("Off."), 15_000);
}, 40_000);
