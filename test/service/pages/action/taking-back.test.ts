import { expect, test } from "bun:test";
import { SQL } from "bun";
import { type Browser, createBrowser, type Page } from "../../../support/identity/browser.ts";
import { signedUp } from "../../../support/identity/support.ts";
import { callTool, useSite } from "../../../support/pages/support.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl } = stack.config;
const undoPath = "/account/actions/undo";
const runPath = "/account/actions/run";
const forgetPath = "/account/actions/forget";
/** Times that RFC 3339 allows and PostgreSQL or Date does not. */
const oddTimes = [
  "2026-12-31T23:59:60Z",
  "0000-01-01T00:00:00Z",
  "2026-11-20T09:15:00+23:59",
  "2026-11-20t09:15:00z",
  "2026-11-20T09:15:00.1234567Z",
];

/** A new person in a browser without scripts, and tokens that they made. */
async function newPerson(...names: readonly string[]) {
  const provider = await signedUp(identity.config);
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const tokens: string[] = [];
  for (const name of names) {
    const answers = { name, days: "30", preset: "all" };
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

/** Presses the button of the newest action with this text. */
function press(browser: Browser, page: Page, text: string): Promise<Page> {
  const card = cards(page).find((one) => one.includes(text));
  const request_id = /name="request_id" value="([^"]+)"/.exec(card ?? "")?.[1] ?? `no button beside ${text}`;
  const called_at = /name="called_at" value="([^"]+)"/.exec(card ?? "")?.[1] ?? "";
  return browser.submit(page, undoPath, { request_id, called_at });
}

/** Presses the undo button of the page; its first form only chooses another time. */
const takeAllBack = (browser: Browser, page: Page, answers: Record<string, string> = {}): Promise<Page> =>
  browser.submit({ ...page, forms: page.forms.toReversed() }, runPath, answers);

const cards = ({ text }: Page): string[] => text.split('<li class="card"').slice(1);
const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

test("what was deleted comes back by its button, and the undo can be taken back as well", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent", due_date: "2026-12-01" });
  await callTool(site, token, "delete-todo", { todo_id: id });
  const list = await account.open("/account/actions");
  expect(list.text).toContain('Bring it back<span class="unseen">: <q><bdi>Pay rent</bdi></q></span>');
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
    /The todo Pay rent keeps its present title: Laptop &lt;script&gt; changed that on \w+ \d+ \w+ \d\d:\d\d/,
  );
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({ title: "Rent", due_date: null });
  // Without the images, the row still says that they exist.
  const later = await account.open("/account/actions");
  expect(textOf(later)).toContain("but not all of it");
  expect(textOf(later)).not.toContain("keeps its present title");

  const none = await press(account, later, "Created the todo");
  expect(textOf(none)).toContain("This could not be taken back.");
  expect(textOf(none)).toMatch(/The todo Pay rent stays: Laptop &lt;script&gt; changed its title on/);
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({ title: "Rent" });
});

test("all that a token did is taken back with one button, after a page that says what stays and why", async () => {
  const { account, token, other } = await newPerson("Claude Desktop", "Laptop");
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) ids.push((await rest(other, "POST", "/todos", { title: `Todo ${n}` })).id);
  const [kept = 0, gone = 0] = ids;
  for (const todo_id of ids.slice(1)) await callTool(site, token, "delete-todo", { todo_id });
  await callTool(site, token, "update-todo", { todo_id: kept, title: "Changed", due_date: "2026-12-01" });
  await rest(other, "PATCH", `/todos/${kept}`, { title: "Mine" });

  const tokenId = String((await identity.introspect(token)).jti);
  const list = await account.open(`/account/actions?token_id=${tokenId}`);
  expect(textOf(list)).toContain("Take back all that it changed");
  const preview = await account.open(`${runPath}?token_id=${tokenId}`);
  expect(textOf(preview)).toContain("4 changes. Of these 3 can be taken back, 1 in part, and 0 cannot.");
  expect(textOf(preview)).toMatch(/The todo Todo 0 keeps its present title: Laptop changed that on/);
  expect((await stack.rest("GET", `/todos/${gone}`, { token })).status).toBe(404);

  const done = await takeAllBack(account, preview);
  expect(textOf(done)).toContain("4 of 4 changes of Claude Desktop are taken back.");
  expect(textOf(done)).toMatch(/What stayed.*The todo Todo 0 keeps its present title/);
  for (const id of ids) expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(200);
  expect(await rest(token, "GET", `/todos/${kept}`)).toMatchObject({ title: "Mine", due_date: null });
  // A repeat does no harm, and a reload shows the same.
  expect(textOf(await takeAllBack(account, preview))).toContain("4 of 4 changes");
  expect(textOf(await account.open(done.url))).toContain("4 of 4 changes of Claude Desktop are taken back.");
  expect(textOf(await account.open(`${runPath}?token_id=${tokenId}`))).toContain(
    "There is nothing to take back.",
  );
});

test("a token is revoked and its run taken back in one step: it is refused at once, whatever this door remembers", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  await rest(token, "POST", "/todos", { title: "Spam" });
  const tokenId = String((await identity.introspect(token)).jti);
  const preview = await account.open(`${runPath}?token_id=${tokenId}`);
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(200);
  const done = await takeAllBack(account, preview, { revoke: "yes" });
  expect(textOf(done)).toContain("The token of Claude Desktop is revoked.");
  expect(textOf(done)).toContain("1 of 1 changes of Claude Desktop are taken back.");
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(401);
  expect((await callTool(site, token, "get-pending-todos")).status).toBe(401);
});

test("the end of a run names each change that came back in part once, and says when there are more", async () => {
  const { account, token, other } = await newPerson("Claude Desktop", "Laptop");
  const numbers = Array.from({ length: 22 }, (_, n) => n);
  const group = (by: string, method: string, of: (n: number) => object) =>
    rest(by, "POST", "/batch", { operations: numbers.map((n) => ({ method, path: "/todos", ...of(n) })) });
  const { results } = await group(other, "POST", (n) => ({ body: { title: `Todo ${n}` } }));
  const at = (n: number) => ({ path: `/todos/${results[n].body.id}` });
  const agents = { title: "Agent's", due_date: "2026-12-01" };
  await group(token, "PATCH", (n) => ({ ...at(n), body: agents }));
  await group(other, "PATCH", (n) => ({ ...at(n), body: { title: `Mine ${n}` } }));
  const token_id = String((await identity.introspect(token)).jti);
  const preview = await account.open(`${runPath}?token_id=${token_id}`);
  const done = await takeAllBack(account, preview);
  expect(textOf(done)).toContain("22 of 22 changes");
  expect(cards(done)).toHaveLength(20);
  expect(textOf(done)).toContain("Of older changes something stayed, too");

  const again = await press(
    account,
    await account.open("/account/actions?door=page"),
    "Changed back the todo",
  );
  expect(textOf(again)).toContain("Taken back.");
  await takeAllBack(account, preview);
  const titles = cards(await account.open(done.url)).map((card) => /Todo \d+/.exec(card)?.[0]);
  expect(titles).toHaveLength(20);
  expect(new Set(titles).size).toBe(20);
});

test("whether a token was revoked is told only by the session that did it", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { account: stranger } = await newPerson("Mallory");
  for (const title of ["a", "b"]) await rest(token, "POST", "/todos", { title });
  const token_id = String((await identity.introspect(token)).jti);
  const told = "The token of Claude Desktop is revoked.";
  const done = await takeAllBack(account, await account.open(`${runPath}?token_id=${token_id}`), {
    revoke: "yes",
  });
  expect(textOf(done)).toContain(told);
  expect((await stranger.open(done.url)).text).not.toContain("is revoked");
  const address = new URL(done.url);
  const mark = address.searchParams.get("revoked") ?? "";
  address.searchParams.set("revoked", "yes");
  expect(textOf(await account.open(address.href))).not.toContain("is revoked");
  address.searchParams.set("revoked", mark);
  address.searchParams.set("token_id", "other");
  expect(textOf(await account.open(address.href))).not.toContain("is revoked");
  expect(textOf(await account.open(done.url))).toContain(told);
});

test("no run is that of no token, and a token of another provider cannot be revoked here", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent" });
  const sub = String((await identity.introspect(token)).sub);
  await identity.sql(`update action_log set token_id = 'https://other.example/7' where user_id = '${sub}'`);
  const preview = await account.open(`${runPath}?token_id=${encodeURIComponent("https://other.example/7")}`);
  expect(textOf(preview)).toContain("1 change. It can be taken back.");
  expect(preview.text).not.toContain('name="revoke"');
  expect((await takeAllBack(account, preview, { revoke: "yes" })).status).toBe(422);
  await identity.sql(`update action_log set token_id = '' where user_id = '${sub}'`);
  expect((await takeAllBack(account, preview, { token_id: "" })).status).toBe(422);
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(200);
});

test("what somebody's bearer token, another page or another person sends takes nothing back", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { account: stranger } = await newPerson("Mallory");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent" });
  await rest(token, "DELETE", `/todos/${id}`);
  const list = await account.open("/account/actions");
  const [card = ""] = cards(list);
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1] ?? "";
  const key = { called_at: field("called_at"), request_id: field("request_id") };
  const csrf = field("csrf");
  const cookie = `kept_account=${account.cookies.get("kept_account")?.value}`;
  const send = (headers: Record<string, string>, more: Record<string, string>) =>
    fetch(`${baseUrl}${undoPath}`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ ...key, ...more }),
      redirect: "manual",
    });
  const bearer = { authorization: `Bearer ${token}` };
  expect((await send(bearer, { csrf })).headers.get("location")).toContain("/account/sign-in");
  expect((await send({ cookie }, {})).status).toBe(403);
  expect((await send({ cookie, origin: "https://evil.example" }, { csrf })).status).toBe(403);
  const tool = await callTool(site, token, "action.undo", { actions: [key] });
  expect(JSON.stringify(tool.result ?? "refused")).not.toContain("whole");
  expect((await stack.rest("POST", "/actions/undo", { token, body: { actions: [key] } })).status).toBe(404);
  const theirs = await stranger.open("/account/actions");
  expect(theirs.text).not.toContain("Pay rent");
  const strangersForm = theirs.forms[0]?.fields.find(([name]) => name === "csrf")?.[1] ?? "";
  const strangersCookie = `kept_account=${stranger.cookies.get("kept_account")?.value}`;
  await send({ cookie: strangersCookie }, { csrf: strangersForm });
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(404);
  // The same works from the person's own page.
  await send({ cookie }, { csrf });
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(200);
});

test("odd addresses and forms are refused in words, and lead to no other site", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  await rest(token, "POST", "/todos", { title: "Pay rent" });
  const list = await account.open("/account/actions");
  for (const odd of [
    { called_at: "yesterday" },
    { request_id: "1" },
    { called_at: "2026-02-30T00:00:00Z" },
    ...oddTimes.map((called_at) => ({ called_at })),
  ]) {
    const answer = await account.submit(list, undoPath, odd);
    expect([odd, answer.status]).toEqual([odd, 422]);
  }
  const elsewhere = await account.submit(list, undoPath, { from: "https://evil.example/account/actions" });
  expect(elsewhere.url).toStartWith(`${baseUrl}/account/actions?note=`);
  for (const query of ["note=x", "note=2026-11-20T09:15:00.000000Z_00000000-0000-0000-0000-000000000000"])
    expect((await account.open(`/account/actions?${query}`)).status).toBe(200);
  expect((await account.open(runPath)).url).toBe(`${baseUrl}/account/actions`);
  expect(textOf(await account.open(`${runPath}?token_id=nobody`))).toContain(
    "There is nothing to take back.",
  );
  for (const query of [
    "since=yesterday",
    "since=2026-02-30T00:00",
    "to=x",
    "to=2026-11-20T09:15:00%2B01:00",
    ...oddTimes.flatMap((time) => [`since=${encodeURIComponent(time)}`, `to=${encodeURIComponent(time)}`]),
  ])
    expect([query, (await account.open(`${runPath}?token_id=x&${query}`)).status]).toEqual([query, 422]);
  expect((await account.open(`${runPath}?token_id=%00`)).status).toBe(422);
  expect((await account.open(`${runPath}?token_id=x&since=9999-12-31T23:59:59.999999Z`)).status).toBe(200);
  for (const called_at of oddTimes) {
    const key = new URLSearchParams({ called_at, request_id: crypto.randomUUID() });
    expect([called_at, (await account.open(`${forgetPath}?${key}`)).status]).toEqual([called_at, 404]);
  }
});

test("all since an action is taken back from that action on", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  for (const title of ["first", "second", "third"]) await callTool(site, token, "create-todo", { title });
  const list = await account.open("/account/actions");
  const card = cards(list).find((one) => one.includes("second")) ?? "";
  const address = /href="([^"]*run[^"]*)"/.exec(card)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const done = await takeAllBack(account, await account.open(address));
  expect(textOf(done)).toContain("2 of 2 changes of Claude Desktop are taken back.");
  const { data } = await rest(token, "GET", "/todos");
  expect(data.map(({ title }: { title: string }) => title)).toEqual(["first"]);
});

test("a run that is too much for one step goes on by itself, and its page says how far it is", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const todos = Array.from({ length: 25 }, (_, index) => ({ title: `Long ${index}` }));
  await callTool(site, token, "create-todo", { todos });
  const made = await identity.sql("select id::int as id from todos where title like 'Long %'");
  const todo_ids = made.map(({ id }) => id);
  for (let n = 0; n < 10; n++)
    await callTool(site, token, "update-todo", { todo_ids, description: String(n).repeat(4_500) });
  const tokenId = String((await identity.introspect(token)).jti);
  const preview = await account.open(`${runPath}?token_id=${tokenId}`);
  expect(textOf(preview)).toMatch(/11 changes\. All of the newest \d can be taken back\./);
  // Somebody holds the oldest change, so that the run cannot end before its page is shown.
  const sql = new SQL(stack.config.databaseUrl, { max: 1 });
  const begun = await sql.begin(async (transaction) => {
    await transaction`select 1 from action_log where token_id = ${tokenId} order by called_at limit 1 for update`;
    return takeAllBack(account, preview);
  });
  await sql.close();
  expect(textOf(begun)).toMatch(
    /\d+ of 11 changes of Claude Desktop are taken back so far\. This goes on by itself/,
  );
  const all = "11 of 11 changes of Claude Desktop are taken back.";
  await eventually(async () => textOf(await account.open(begun.url)).includes(all));
  expect((await rest(token, "GET", "/todos")).meta.total).toBe(0);
});

test("a deleted thing is forgotten for good after one question, and nothing of it is left on the page", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { id } = await rest(token, "POST", "/todos", { title: "Secret appointment" });
  await callTool(site, token, "delete-todo", { todo_id: id });
  const back = await press(account, await account.open("/account/actions"), "Deleted the todo");
  const list = await press(account, back, "Brought back the todo");
  const address = /href="([^"]*forget[^"]*)"/.exec(list.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const question = await account.open(address);
  expect(textOf(question)).toContain("The todo Secret appointment");
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(404);
  const gone = await account.submit(question, forgetPath, {});
  expect(textOf(gone)).toContain("It is forgotten for good.");
  expect(gone.text).not.toContain("Secret appointment");
  expect(gone.text).not.toContain("Bring it back");
  expect(textOf(gone)).toContain(`Deleted the todo ${id} (forgotten since)`);
  expect(textOf(gone)).not.toContain("nothing changed");
  // Neither the question nor a form from another window can restore anything.
  expect((await account.open(address)).status).toBe(404);
  const late = await press(account, list, "Deleted the todo");
  expect(textOf(late)).toContain("This could not be taken back.");
  for (const text of ["Brought back the todo", "Created the todo"]) await press(account, list, text);
  expect((await stack.rest("GET", `/todos/${id}`, { token })).status).toBe(404);
  expect((await account.submit(question, forgetPath, { id: "x" })).status).toBe(422);
});

test("what is there cannot be forgotten, nor what somebody else deleted", async () => {
  const { account, token } = await newPerson("Claude Desktop");
  const { account: stranger, token: theirs } = await newPerson("Mallory");
  const { id } = await rest(token, "POST", "/todos", { title: "Pay rent" });
  await rest(token, "DELETE", `/todos/${id}`);
  const list = await account.open("/account/actions");
  const address = /href="([^"]*forget[^"]*)"/.exec(list.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await stranger.open(address)).status).toBe(404);
  const question = await account.open(address);
  const own = await rest(theirs, "POST", "/todos", { title: "Mine" });
  await rest(theirs, "DELETE", `/todos/${own.id}`);
  const strangers = await stranger.open("/account/actions");
  const asked = /href="([^"]*forget[^"]*)"/.exec(strangers.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  await stranger.submit(await stranger.open(asked), forgetPath, { id: String(id) });
  await press(account, list, "Deleted the todo");
  expect(await rest(token, "GET", `/todos/${id}`)).toMatchObject({ title: "Pay rent" });
  expect(textOf(await account.submit(question, forgetPath, {}))).toContain("Delete it first");
});
