import { afterAll, beforeAll, expect, test } from "bun:test";
import { createBrowser } from "../../support/identity/browser.ts";
import { signInToService } from "../../support/identity/relying-party.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

async function ownerIn(browser_zone: string) {
  const browser = createBrowser(identity.config.authUrl);
  const { email, password } = identity.owner;
  await browser.submit(await browser.open("/sign-in"), "/sign-in", { email, password, browser_zone });
  return (await signInToService(identity.config, browser)).claims?.zoneinfo;
}

test("the owner's zone is that of the browser at the first sign-in, and of no later one", async () => {
  expect(await ownerIn("")).toBeUndefined();
  expect(await ownerIn("Nowhere/Town")).toBeUndefined();
  expect(await ownerIn("Asia/Tokyo")).toBe("Asia/Tokyo");
  expect(await ownerIn("Europe/Berlin")).toBe("Asia/Tokyo");
});

test("once a person has chosen a zone in the settings, apps and pages are told that one", async () => {
  const browser = await signedUp(identity.config);
  const { claims } = await signInToService(identity.config, browser);
  expect(claims?.zoneinfo).toBe("UTC");
  await identity.sql(`
    insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, webhook_failures,
      created_at, updated_at)
    values ('${claims?.sub}', 'Pacific/Auckland', 'chosen', 0, 'log', 0, now(), now())`);
  expect((await signInToService(identity.config, browser)).claims?.zoneinfo).toBe("Pacific/Auckland");
  expect((await browser.open("/profile")).text).toContain("Pacific/Auckland");
});
