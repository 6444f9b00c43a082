import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { signedInBrowser } from "../../../support/pages/live-support.ts";
import { startReceiver } from "../../../support/reminder/receiver.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const { config, rest, issuer } = await useStack();
const path = "/account/webhooks";

test("a person makes a webhook on a page, sees its secret once, its deliveries, and switches it off and deletes it", async () => {
  let secret = "";
  const receiver = startReceiver(() => secret);
  const browser = await signedInBrowser(config, "ada");
  const made = await browser.submit(await browser.open(path), path, { url: receiver.url, events: "todo.*" });
  secret = /whsec_[\w+/=]+/.exec(made.text)?.[0] ?? "";
  expect(secret).not.toBe("");
  await rest("POST", "/todos", { token: await issuer.token({ sub: "ada" }), body: { title: "Sweep" } });
  await eventually(() => receiver.received.length > 0);
  await eventually(async () => (await browser.open(path)).text.includes("delivered"));
  const shown = await browser.open(path);
  expect(shown.text).not.toContain("whsec_");
  await browser.submit(shown, `${path}/again`, {});
  await eventually(() => receiver.received.length === 2);
  await browser.submit(await browser.open(path), `${path}/change`, { act: "off" });
  const off = await browser.open(path);
  expect(off.text).toContain("Switch on");
  await browser.submit(off, `${path}/change`, { act: "delete" });
  expect((await browser.open(path)).text).toContain("You have no webhook.");
}, 30_000);

test("an address that is no public server is refused with a sentence, and nothing is made", async () => {
  const browser = await signedInBrowser(config, "eve");
  const refused = await browser.submit(await browser.open(path), path, {
    url: "https://10.0.0.1/x",
    events: "todo.*",
  });
  expect(refused.text).toContain("The url field must be");
  expect((await browser.open(path)).text).toContain("You have no webhook.");
});
