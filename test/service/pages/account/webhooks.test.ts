import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { newPlainPerson } from "../../../support/pages/plain.ts";
import { startReceiver } from "../../../support/reminder/receiver.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const stack = await useStack();
const path = "/account/webhooks";

test("a person makes a webhook on a page, sees its secret once, its deliveries, and switches it off and deletes it", async () => {
  let secret = "";
  const receiver = startReceiver(() => secret);
  const { account, rest } = await newPlainPerson(stack);
  const made = await account.submit(await account.open(path), path, { url: receiver.url, events: "todo.*" });
  secret = /whsec_[\w+/=]+/.exec(made.text)?.[0] ?? "";
  expect(secret).not.toBe("");
  await rest("POST", "/todos", { title: "Sweep" });
  await eventually(() => receiver.received.length > 0);
  await eventually(async () => (await account.open(path)).text.includes("delivered"));
  const shown = await account.open(path);
  expect(shown.text).not.toContain("whsec_");
  await account.submit(shown, `${path}/again`, {});
  await eventually(() => receiver.received.length === 2);
  await account.submit(await account.open(path), `${path}/change`, { act: "off" });
  const off = await account.open(path);
  expect(off.text).toContain("Switch on");
  await account.submit(off, `${path}/change`, { act: "delete" });
  expect((await account.open(path)).text).toContain("No webhooks yet.");
});
