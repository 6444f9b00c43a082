import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { newPlainPerson, textOf } from "../../support/pages/plain.ts";

test("while the provider is away a session goes on, and nobody new gets in but with a page that says so", async () => {
  const stack = await startStack({ env: { AUTH_URL: "http://127.0.0.1:9" } });
  const { account } = await newPlainPerson(stack);
  expect((await account.open("/account")).text).toContain("No habits yet");
  account.cookies.clear();
  const refused = await account.open("/account");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(refused.text).toContain("cannot be reached");
});

test("while the queue is away a person still sees the day, and learns that nothing was ticked off", async () => {
  const stack = await startStack({ env: { REDIS_URL: "redis://127.0.0.1:9" }, workers: 0 });
  const { account } = await newPlainPerson(stack);
  const page = await account.open("/account");
  expect(page.status).toBe(200);
  const forms = page.forms.map((form) => ({ ...form, action: "/account/tick" }));
  const ticked = { todo_id: "1", done: "yes" };
  const answer = await account.submit({ ...page, forms }, "/account/tick", ticked);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(answer.text).toContain("briefly unable to write");
});

test("without credentials for the provider the account pages say what is missing", async () => {
  const env = { AUTH_URL: "http://127.0.0.1:9", AUTH_CLIENT_ID: "", AUTH_CLIENT_SECRET: "" };
  const stack = await startStack({ env });
  const { account } = await newPlainPerson(stack);
  account.cookies.clear();
  const page = await account.open("/account");
  expect([page.status, textOf(page)]).toEqual([503, expect.stringContaining("AUTH_CLIENT_ID")]);
});
