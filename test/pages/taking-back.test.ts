import { expect, test } from "bun:test";
import { allScopes } from "../../shared/contracts/scopes.ts";
import { type Browser, createBrowser, type Page } from "../identity/browser.ts";
import { signedUp } from "../identity/support.ts";
import { callTool, startSite } from "./support.ts";

const site = await startSite({ RATE_LIMIT_PER_MINUTE: "0", TOKEN_CACHE_SECONDS: "60" });
const { stack, identity } = site;
const { baseUrl } = stack.config;
const undoPath = "/account/actions/undo";

/** A new person in a browser without scripts, and tokens that they made. */
async function newPerson(...names: readonly string[]) {
  const provider = await signedUp(identity.config);
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const tokens: string[] = [];
  for (const name of names) {
    const answers = { name, days: "30", scope: [...allScopes] };
    const page = await provider.submit(
      await provider.open("/profile/api-tokens"),
      "/profile/api-tokens",
      answers,
    );
    tokens.push(/class="secret">([^<]+)</.exec(page.text)?.[1] ?? "");
  }
  const [token = "", other = ""] = tokens;
  return { provider, account, token, other };
}

const rest = async (token: string, method: string, path: string, body?: object) =>
  (await stack.rest(method, path, { token, ...(body && { body }) })).body;

/** Presses the button of the newest action that has the text. */
function press(browser: Browser, page: Page, text: string): Promise<Page> {
  const card = cards(page).find((one) => one.includes(text));
  const request_id = /name="request_id" value="([^"]+)"/.exec(card ?? "")?.[1] ?? `no button beside ${text}`;
  const called_at = /name="called_at" value="([^"]+)"/.exec(card ?? "")?.[1] ?? "";
  return browser.submit(page, undoPath, { request_id, called_at });
}

const cards = ({ text }: Page): string[] => text.split('<li class="card"').slice(1);
const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

test("what was deleted comes back by its button, and the undo can be taken back as well", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent", due_date: "2026-12-01" });
  await callTool(site, token, "delete-todo", { todo_id: id });
  const list = await account.open("/account/actions");
  expect(textOf(list)).toContain("Bring it back: Pay rent");
  const back = await press(account, list, "Deleted the todo");
  expect(textOf(back)).toContain("Taken back.");
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({
    title: "Pay rent",
    due_date: "2026-12-01",
  });

  const again = await press(account, back, "Brought back the todo");
  expect(textOf(again)).toContain("Taken back.");
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(404);
  // The deletion stands again, with its button.
  await press(account, again, "Deleted the todo");
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(200);
});

test("what somebody else changed since stays, and the page says who and when", async () => {
  const { account, token, other } = await newPerson("Claude Desktop", "Laptop <script>");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent" });
  await callTool(site, token, "update-todo", { todo_id: id, title: "Pay the rent", due_date: "2026-12-01" });
  await rest(other, "PATCH", `/todos/${id}`, { title: "Rent" });
  const list = await account.open("/account/actions");
  const part = await press(account, list, "Pay the rent</bdi></q>;");
  expect(textOf(part)).toContain("Taken back, but not all of it.");
  expect(textOf(part)).toMatch(
    /The todo Pay rent keeps its present title: Laptop &lt;script&gt; changed that on \w+ \d+ \w+ \d\d:\d\d:\d\d/,
  );
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({ title: "Rent", due_date: null });
  // Without the note the row still says that there is something to read.
  const later = await account.open("/account/actions");
  expect(textOf(later)).toContain("but not all of it");
  expect(textOf(later)).not.toContain("keeps its present title");

  const none = await press(account, later, "Created the todo");
  expect(textOf(none)).toContain("This could not be taken back.");
  expect(textOf(none)).toMatch(/The todo Pay rent stays: Laptop &lt;script&gt; changed its title on/);
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({ title: "Rent" });
});
