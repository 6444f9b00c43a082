import { afterAll, expect } from "bun:test";
import { SQL } from "bun";
import { browserTest, callTool, signedInPerson, useSite } from "../../../support/pages/support.ts";

// Registered before the site's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const site = await useSite();
const { baseUrl, databaseUrl } = site.stack.config;
const sql = new SQL(databaseUrl, { max: 1 });

browserTest(
  "beside Actions stands how many runs the person has not seen, on every page and while it is open",
  async () => {
    const { page, newToken } = await signedInPerson(site);
    const [claude, script] = [await newToken("Claude"), await newToken("Script")];
    const make = (token: string, title: string) =>
      site.stack.rest("POST", "/todos", { token, body: { title } });
    const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Actions/ });
    const text = async () => (await link.textContent())?.trim();
    const open = (path: string) => page.goto(`${baseUrl}${path}`);
    await make(claude, "before");
    await open("/account");
    expect(await text()).toBe("Actions");

    await open("/account/actions");
    await open("/account/settings");
    expect(await text()).toBe("Actions");
    for (const title of ["a", "b", "c"]) await make(claude, title);
    await callTool(site, claude, "get-pending-todos");
    await open("/account/settings");
    expect(await text()).toBe("Actions 1 new");

    await open("/account/todos");
    await make(script, "d");
    await page.getByRole("link", { name: "Actions 2 new" }).waitFor();
    await page.getByLabel("Add").first().fill("Mine");
    await page.keyboard.press("Enter");
    await page.getByText("Mine").first().waitFor();
    await open("/account/habits");
    expect(await text()).toBe("Actions 2 new");

    await sql`insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, replayed, calls, duration_ms)
      select user_id, gen_random_uuid(), now(), 'rest', 'token ' || n, 'todo.create', '{}', 'ok', false, 1, 1
      from (select user_id from action_log limit 1) u, generate_series(1, 120) n`;
    await open("/account/habits");
    expect(await text()).toBe("Actions 99+ new");

    await open("/account/actions");
    expect(await text()).toBe("Actions");
    await open("/account/todos");
    expect(await text()).toBe("Actions");
  },
);
