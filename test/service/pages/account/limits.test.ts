import { expect, test } from "bun:test";
import { startStack } from "../../../harness.ts";
import { longText } from "../../../support/long-text.ts";
import { fieldsOf, newPlainPerson, textOf } from "../../../support/pages/plain.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const stack = await startStack({ env: { ACCOUNT_MEGABYTES: "1", WEBHOOK_ALLOW_LOOPBACK: "no" } });

test("a person sees how much an account keeps, and on every form why a full one takes no more", async () => {
  const { account, rest, answer, sub } = await newPlainPerson(stack);
  const body = { title: "Water the ferns", description: longText(5_000) };
  const { id } = await rest("POST", "/todos", { title: "Pay rent" });
  for (let n = 0; n < 30; n++) await rest("POST", "/todos", body);
  await stack.sql`update account_bytes set counted_at = '-infinity' where user_id = ${sub}`;
  await eventually(async () => (await answer("POST", "/todos", body)).status === 403);
  expect(textOf(await account.open("/account/data"))).toMatch(/\d\.\d of 1 MB used: \d\.\d MB of habits/);

  const reason = "Your account keeps 1 MB, the most that it may; delete what is not needed";
  for (const [page, action, answers] of [
    ["/account/add?line=One+more", "/account/todos/new", {}],
    [`/account/todos/${id}`, `/account/todos/${id}`, { title: "Water them" }],
  ] as const) {
    const refused = await account.submit(await account.open(page), action, answers);
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining(reason)]);
  }
});

test.each([
  "https://10.0.0.1/x",
  "https://169.254.169.254/latest",
  "http://localhost:9/hook",
  "https://[::1]/",
])("the address %s, which leads to this machine or a private network, is not saved", async (webhook_url) => {
  const { account } = await newPlainPerson(stack);
  const path = "/account/settings/webhook";
  const refused = await account.submit(await account.open("/account/settings"), path, { webhook_url });
  expect(textOf(refused)).toContain("This must be a public https address");
  expect(fieldsOf(refused, path)).toMatchObject({ webhook_url });
  expect(textOf(await account.open("/account/settings"))).not.toContain("Send a test");
});
