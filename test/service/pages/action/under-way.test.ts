import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { createBrowser, type Page } from "../../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../../support/identity/support.ts";
import { useSite } from "../../../support/pages/support.ts";

afterAll(() => sql.close());
const { stack, identity } = await useSite();
const { baseUrl, databaseUrl } = stack.config;
const sql = new SQL(databaseUrl, { max: 2 });

const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

test("the settings page shows how far long work of its person is, and nobody else's", async () => {
  const provider = await signedUp(identity.config);
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const token = await tokenByForm(provider, "Script");
  await stack.rest("POST", "/categories", { token, body: { name: "Home" } });
  const [{ user_id: userId }] = await sql`select user_id from categories`;
  const begin = (owner: string, name: string, done: number) => sql`
    insert into works (user_id, id, name, input, cursor, done, total, created_at)
    values (${owner}, ${crypto.randomUUID()}, ${name}, '{}', '12000', ${done}, 50000, now())`;
  await sql.begin(async (holder) => {
    // No worker has the turn of this user.
    for (const owner of [userId, "somebody else"])
      await holder`select pg_advisory_xact_lock(hashtextextended('works ' || ${owner}, 0))`;
    await begin(userId, "user.configure", 12_000);
    await begin("somebody else", "category.delete", 7);
    const text = textOf(await account.open("/account/settings"));
    expect(text).toContain("Your reminders are moving to your time zone: 12,000 of 50,000 are done.");
    expect(text).not.toContain("A deleted category");
  });
  for (;;) if ((await sql`select from works where ended_at is null`).length === 0) break;
  expect(textOf(await account.open("/account/settings"))).not.toContain("50,000");
});
