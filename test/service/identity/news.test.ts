import { expect, test } from "bun:test";
import type { Tell } from "../../../api/identity/accounts/outbox.ts";
import {
  connect,
  isSignedIn,
  registerApp,
  signedUp,
  startTestIdentity,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

/** A provider whose service hears of accounts by `tell`, and a person there. */
async function start(tell: Tell) {
  const identity = await startTestIdentity({}, { tell });
  const browser = await signedUp(identity.config);
  const deleteAccount = async () => browser.submit(await browser.open("/profile"), "/profile/delete", {});
  return { identity, browser, deleteAccount };
}

test("a deleted account is signed in nowhere, and its tokens have ended when the service is told to delete the rest", async () => {
  const seen: unknown[] = [];
  const { identity, browser, deleteAccount } = await start(async ({ name, userId }) => {
    if (name === "user.delete") seen.push([userId, await identity.introspect(token)]);
  });
  const clientId = await registerApp(identity.config);
  const { access_token: token } = await connect(identity.config, browser, { clientId, scope: "habits:read" });
  const { sub } = await identity.introspect(token);
  expect((await deleteAccount()).text).toContain("Account deleted");
  expect(seen).toEqual([[sub, { active: false }]]);
  expect(await isSignedIn(browser)).toBe(false);
  await identity.stop();
});

test("what the service cannot hear at once is told again until it has heard it", async () => {
  const tries: string[] = [];
  const { identity, deleteAccount } = await start(async ({ id, name }) => {
    tries.push(`${id} ${name}`);
    if (tries.length === 1) throw new Error("The queue is away.");
  });
  expect((await deleteAccount()).text).toContain("deleted as soon as the service can be reached");
  await eventually(async () => (await identity.sql("select from identity.outbox")).length === 0);
  expect(tries.length).toBeGreaterThan(1);
  expect(new Set(tries)).toEqual(new Set(["1 user.delete"]));
  await identity.stop();
});
