import { expect, test } from "bun:test";
import { createBrowser, type Page } from "../../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../../support/identity/support.ts";
import { longText } from "../../../support/long-text.ts";
import { startSite } from "../../../support/pages/support.ts";

const { stack, identity } = await startSite({ RATE_LIMIT_PER_MINUTE: "0", ACCOUNT_MEGABYTES: "1" });

const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

test("a person sees how much an account keeps, and on every form why a full one takes no more", async () => {
  const provider = await signedUp(identity.config);
  const account = createBrowser(stack.config.baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const token = await tokenByForm(provider, "Script");
  const body = { title: "Water the ferns", description: longText(5_000) };
  const create = () => stack.rest("POST", "/todos", { token, body });
  const { id } = (await stack.rest("POST", "/todos", { token, body: { title: "Pay rent" } })).body;
  for (let n = 0; n < 5; n++) await create();
  expect(textOf(await account.open("/account/data"))).toMatch(
    /You keep 0\.\d MB of 1 MB: 0\.\d MB of habits/,
  );
  while ((await create()).status === 201);
  expect(textOf(await account.open("/account/data"))).toContain("You keep 1.0 MB of 1 MB");

  const reason = "Your account keeps 1 MB, the most that it may; delete what is not needed";
  const form = await account.open("/account/add?line=One+more");
  const refused = await account.submit(form, "/account/todos/new", {});
  expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining(reason)]);
  const edit = await account.open(`/account/todos/${id}`);
  const kept = await account.submit(edit, `/account/todos/${id}`, { title: "Water them" });
  expect([kept.status, textOf(kept)]).toEqual([403, expect.stringContaining(reason)]);
});
