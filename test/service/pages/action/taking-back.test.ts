import { expect, test } from "bun:test";
import { type Browser, cookieOf, type Page } from "../../../support/identity/browser.ts";
import { callsOf, cardsOf, fieldsIn, takeBackOn as press, textOf } from "../../../support/pages/plain.ts";
import { signedUpPerson, useSite } from "../../../support/pages/support.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { wordsIn } from "../../../support/text-table.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl } = stack.config;
const listPath = "/account/actions";
const undoPath = "/account/actions/undo";
const runPath = "/account/actions/run";
const forgetPath = "/account/actions/forget";
/** Times that RFC 3339 allows and PostgreSQL or Date does not. */
const oddTimes = wordsIn(`2026-12-31T23:59:60Z 0000-01-01T00:00:00Z 2026-11-20T09:15:00+23:59
  2026-11-20t09:15:00z 2026-11-20T09:15:00.1234567Z`);

/** A new person in a browser without scripts, their agent, and another app of theirs. */
async function newPerson() {
  const { browser: account, newToken } = await signedUpPerson(site);
  const token = await newToken("Claude Desktop");
  const other = callsOf(stack, await newToken("Laptop <script>"));
  const { jti: tokenId, sub } = await identity.introspect(token);
  return {
    ...{ account, token, tokenId, sub, other, ...callsOf(stack, token) },
    openRun: (query = "") => account.open(`${runPath}?token_id=${tokenId}${query}`),
    /** Undoes what a page of a run shows; its first form only chooses another time. */
    takeAllBack: (page: Page, answers: Record<string, string> = {}) =>
      account.submit({ ...page, forms: page.forms.toReversed() }, runPath, answers),
    statusOf: async (id: number) => (await stack.rest("GET", `/todos/${id}`, { token })).status,
  };
}

/** The first link of a page with this word in its address. */
const linkTo = (text: string, what: string): string =>
  new RegExp(`href="([^"]*${what}[^"]*)"`).exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";

test("what was deleted comes back by its button, and the undo can be taken back as well", async () => {
  const { account, rest, call, statusOf } = await newPerson();
  const rent = { title: "Pay rent", due_date: "2066-12-01" };
  const { id } = await rest("POST", "/todos", rent);
  await call("delete-todo", { todo_id: id });
  const list = await account.open(listPath);
  expect(list.text).toContain('Bring it back<span class="unseen">: <q><bdi>Pay rent</bdi></q></span>');
  const back = await press(account, list, "Deleted the todo");
  expect(textOf(back)).toContain("Taken back.");
  expect(await rest("GET", `/todos/${id}`)).toMatchObject(rent);

  expect(textOf(await press(account, back, "Brought back the todo"))).toContain("Taken back.");
  expect(await statusOf(id)).toBe(404);
  // The deletion stands again, with its button. The page stays as it is, also with a search.
  const found = await press(account, await account.open(`${listPath}?q=rent`), "Deleted the todo");
  expect(found.url).toMatch(/\?q=rent&.*#action-/);
  expect(await statusOf(id)).toBe(200);
});

test("what somebody else changed since stays, and the page says who and when", async () => {
  const { account, rest, call, other } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Pay rent" });
  await call("update-todo", { todo_id: id, title: "Pay the rent", due_date: "2066-12-01" });
  await other.rest("PATCH", `/todos/${id}`, { title: "Rent" });
  const part = await press(account, await account.open(listPath), "Pay the rent</bdi></q>;");
  expect(textOf(part)).toContain("Taken back, but not all of it.");
  expect(textOf(part)).toMatch(
    /The todo Pay rent keeps its present title: Laptop &lt;script&gt; changed that on \w+ \d+ \w+ \d\d:\d\d/,
  );
  expect(await rest("GET", `/todos/${id}`)).toMatchObject({ title: "Rent", due_date: null });
  // Without the images, the row still says that they exist.
  const later = await account.open(listPath);
  expect(textOf(later)).toContain("but not all of it");
  expect(textOf(later)).not.toContain("keeps its present title");

  const none = await press(account, later, "Created the todo");
  expect(textOf(none)).toContain("This could not be taken back.");
  expect(textOf(none)).toMatch(/The todo Pay rent stays: Laptop &lt;script&gt; changed its title on/);
  expect((await rest("GET", `/todos/${id}`)).title).toBe("Rent");
});

test("all that a token did is taken back with one button, after a page that says what stays and why", async () => {
  const { account, call, other, tokenId, openRun, takeAllBack, statusOf } = await newPerson();
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) ids.push((await other.rest("POST", "/todos", { title: `Todo ${n}` })).id);
  const [kept = 0, gone = 0] = ids;
  for (const todo_id of ids.slice(1)) await call("delete-todo", { todo_id });
  await call("update-todo", { todo_id: kept, title: "Changed", due_date: "2066-12-01" });
  await other.rest("PATCH", `/todos/${kept}`, { title: "Mine" });

  const list = await account.open(`${listPath}?token_id=${tokenId}`);
  expect(textOf(list)).toContain("Take back all that it changed");
  const preview = await openRun();
  expect(textOf(preview)).toContain("4 changes. Of these 3 can be taken back, 1 in part, and 0 cannot.");
  expect(textOf(preview)).toMatch(/The todo Todo 0 keeps its present title: Laptop .* changed that on/);
  expect(await statusOf(gone)).toBe(404);

  const done = await takeAllBack(preview);
  expect(textOf(done)).toContain("4 of 4 changes of Claude Desktop are taken back.");
  expect(textOf(done)).toMatch(/What stays.*The todo Todo 0 keeps its present title/);
  for (const id of ids) expect(await statusOf(id)).toBe(200);
  expect(await other.rest("GET", `/todos/${kept}`)).toMatchObject({ title: "Mine", due_date: null });
  // A repeat does no harm, and a reload shows the same.
  expect(textOf(await takeAllBack(preview))).toContain("4 of 4 changes");
  expect(textOf(await account.open(done.url))).toContain("4 of 4 changes of Claude Desktop are taken back.");
  expect(textOf(await openRun())).toContain("There is nothing to take back.");
});

test("a token is revoked and its run taken back in one step, which only that session is told", async () => {
  const { account, rest, call, token, openRun, takeAllBack } = await newPerson();
  const { account: stranger } = await newPerson();
  for (const title of ["a", "b"]) await rest("POST", "/todos", { title });
  const preview = await openRun();
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(200);
  const told = "The token of Claude Desktop is revoked.";
  const done = await takeAllBack(preview, { revoke: "yes" });
  for (const said of [told, "2 of 2 changes of Claude Desktop are taken back."])
    expect(textOf(done)).toContain(said);
  // It is refused at once, whatever this door remembers.
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(401);
  expect((await call("get-pending-todos")).status).toBe(401);
  expect((await stranger.open(done.url)).text).not.toContain("is revoked");
  for (const [name, value] of Object.entries({ revoked: "yes", token_id: "other" })) {
    const address = new URL(done.url);
    address.searchParams.set(name, value);
    expect(textOf(await account.open(address.href))).not.toContain("is revoked");
  }
  expect(textOf(await account.open(done.url))).toContain(told);
});

test("the end of a run names each change that came back in part once, and says when there are more", async () => {
  const { account, rest, other, openRun, takeAllBack } = await newPerson();
  const numbers = Array.from({ length: 22 }, (_, n) => n);
  const group = (by: typeof rest, method: string, of: (n: number) => object) =>
    by("POST", "/batch", { operations: numbers.map((n) => ({ method, path: "/todos", ...of(n) })) });
  const { results } = await group(other.rest, "POST", (n) => ({ body: { title: `Todo ${n}` } }));
  const at = (n: number) => ({ path: `/todos/${results[n].body.id}` });
  const agents = { title: "Agent's", due_date: "2066-12-01" };
  await group(rest, "PATCH", (n) => ({ ...at(n), body: agents }));
  await group(other.rest, "PATCH", (n) => ({ ...at(n), body: { title: `Mine ${n}` } }));
  const preview = await openRun();
  const done = await takeAllBack(preview);
  expect(textOf(done)).toContain("22 of 22 changes");
  expect(cardsOf(done)).toHaveLength(20);
  expect(textOf(done)).toContain("Of older changes something stayed, too");

  const byPerson = await account.open(`${listPath}?door=page`);
  expect(textOf(await press(account, byPerson, "Changed back the todo"))).toContain("Taken back.");
  await takeAllBack(preview);
  const titles = cardsOf(await account.open(done.url)).map((card) => /Todo \d+/.exec(card)?.[0]);
  expect([titles.length, new Set(titles).size]).toEqual([20, 20]);
});

test("no run is that of no token, and a token of another provider cannot be revoked here", async () => {
  const { account, rest, sub, takeAllBack, statusOf } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Pay rent" });
  const renameToken = (name: string) =>
    identity.sql(`update action_log set token_id = '${name}' where user_id = '${sub}'`);
  await renameToken("https://other.example/7");
  const preview = await account.open(`${runPath}?token_id=${encodeURIComponent("https://other.example/7")}`);
  expect(textOf(preview)).toContain("1 change. It can be taken back.");
  expect(preview.text).not.toContain('name="revoke"');
  expect((await takeAllBack(preview, { revoke: "yes" })).status).toBe(422);
  await renameToken("");
  expect((await takeAllBack(preview, { token_id: "" })).status).toBe(422);
  expect(await statusOf(id)).toBe(200);
});

test("what somebody's bearer token, another page or another person sends takes nothing back", async () => {
  const { account, rest, call, answer, token, statusOf } = await newPerson();
  const { account: stranger } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Pay rent" });
  await rest("DELETE", `/todos/${id}`);
  const field = fieldsIn(await account.open(listPath), "Pay rent");
  const key = { called_at: field("called_at"), request_id: field("request_id") };
  const csrf = field("csrf");
  const cookie = (browser: Browser) => ({ cookie: cookieOf(browser) });
  const send = (headers: Record<string, string>, more: Record<string, string> = {}) => {
    const body = new URLSearchParams({ ...key, ...more });
    return fetch(`${baseUrl}${undoPath}`, { method: "POST", headers, body, redirect: "manual" });
  };
  const bearer = { authorization: `Bearer ${token}` };
  expect((await send(bearer, { csrf })).headers.get("location")).toContain("/account/sign-in");
  expect((await send(cookie(account))).status).toBe(403);
  expect((await send({ ...cookie(account), origin: "https://evil.example" }, { csrf })).status).toBe(403);
  const tool = await call("action.undo", { actions: [key] });
  expect(JSON.stringify(tool.result ?? "refused")).not.toContain("whole");
  expect((await answer("POST", "/actions/undo", { actions: [key] })).status).toBe(404);
  const theirs = await stranger.open(listPath);
  expect(theirs.text).not.toContain("Pay rent");
  const strangersCsrf = theirs.forms[0]?.fields.find(([name]) => name === "csrf")?.[1] ?? "";
  await send(cookie(stranger), { csrf: strangersCsrf });
  expect(await statusOf(id)).toBe(404);
  // The same works from the person's own page.
  await send(cookie(account), { csrf });
  expect(await statusOf(id)).toBe(200);
});

test("odd addresses and forms are refused in words, and lead to no other site", async () => {
  const { account, rest, openRun } = await newPerson();
  await rest("POST", "/todos", { title: "Pay rent" });
  const list = await account.open(listPath);
  const times = ["yesterday", "2026-02-30T00:00:00Z", ...oddTimes];
  for (const odd of [{ request_id: "1" }, ...times.map((called_at) => ({ called_at }))])
    expect([odd, (await account.submit(list, undoPath, odd)).status]).toEqual([odd, 422]);
  const elsewhere = await account.submit(list, undoPath, { from: "https://evil.example/account/actions" });
  expect(elsewhere.url).toStartWith(`${baseUrl}${listPath}?note=`);
  for (const query of ["note=x", "note=2026-11-20T09:15:00.000000Z_00000000-0000-0000-0000-000000000000"])
    expect((await account.open(`${listPath}?${query}`)).status).toBe(200);
  expect((await account.open(runPath)).url).toBe(`${baseUrl}${listPath}`);
  const nobodys = await account.open(`${runPath}?token_id=nobody`);
  expect(textOf(nobodys)).toContain("There is nothing to take back.");
  const encoded = oddTimes.map(encodeURIComponent);
  for (const query of [
    ...["since=yesterday", "since=2026-02-30T00:00", "to=x", "to=2026-11-20T09:15:00%2B01:00"],
    ...encoded.flatMap((time) => [`since=${time}`, `to=${time}`]),
  ])
    expect([query, (await openRun(`&${query}`)).status]).toEqual([query, 422]);
  expect((await account.open(`${runPath}?token_id=%00`)).status).toBe(422);
  expect((await openRun("&since=9999-12-31T23:59:59.999999Z")).status).toBe(200);
  for (const called_at of oddTimes) {
    const key = new URLSearchParams({ called_at, request_id: crypto.randomUUID() });
    expect([called_at, (await account.open(`${forgetPath}?${key}`)).status]).toEqual([called_at, 404]);
  }
});

test("all since an action is taken back from that action on", async () => {
  const { account, call, rest, takeAllBack } = await newPerson();
  for (const title of ["first", "second", "third"]) await call("create-todo", { title });
  const card = cardsOf(await account.open(listPath)).find((one) => one.includes("second")) ?? "";
  const done = await takeAllBack(await account.open(linkTo(card, "run")));
  expect(textOf(done)).toContain("2 of 2 changes of Claude Desktop are taken back.");
  expect((await rest("GET", "/todos")).data).toMatchObject([{ title: "first" }]);
});

test("a run that is too much for one step goes on by itself, and its page says how far it is", async () => {
  const { account, rest, call, sub, tokenId, openRun, takeAllBack } = await newPerson();
  await call("create-todo", { todos: Array.from({ length: 25 }, (_, n) => ({ title: `Long ${n}` })) });
  const made = await identity.sql(`select id::int as id from todos where user_id = '${sub}'`);
  const todo_ids = made.map(({ id }) => id);
  // A step undoes two of these after the other for 50 ms, so the first one is over before it has undone all.
  for (let n = 0; n < 20; n++)
    await call("update-todo", { todo_ids, description: String(n % 10).repeat(4_500) });
  const preview = await openRun();
  expect(textOf(preview)).toMatch(/21 changes\. All of the newest \d can be taken back\./);
  // Somebody holds the oldest change, so that the run cannot end before its page is shown.
  const begun = await stack.sql.begin(async (transaction) => {
    await transaction`select 1 from action_log where token_id = ${tokenId} order by called_at limit 1 for update`;
    return takeAllBack(preview);
  });
  expect(textOf(begun)).toMatch(
    /\d+ of 21 changes of Claude Desktop are taken back so far\. This goes on by itself/,
  );
  const all = "21 of 21 changes of Claude Desktop are taken back.";
  await eventually(async () => textOf(await account.open(begun.url)).includes(all));
  expect((await rest("GET", "/todos")).meta.total).toBe(0);
});

test("a deleted thing is forgotten for good after one question, and nothing of it is left on the page", async () => {
  const { account, rest, call, statusOf } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Secret appointment" });
  await call("delete-todo", { todo_id: id });
  const back = await press(account, await account.open(listPath), "Deleted the todo");
  const list = await press(account, back, "Brought back the todo");
  const address = linkTo(list.text, "forget");
  const question = await account.open(address);
  expect(textOf(question)).toContain("The todo Secret appointment");
  expect(await statusOf(id)).toBe(404);
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
  expect(await statusOf(id)).toBe(404);
  expect((await account.submit(question, forgetPath, { id: "x" })).status).toBe(422);
});

test("what is there cannot be forgotten, nor what somebody else deleted", async () => {
  const [{ account, rest }, { account: stranger, rest: theirs }] = [await newPerson(), await newPerson()];
  const deleted = async (by: typeof rest, title: string): Promise<number> => {
    const { id } = await by("POST", "/todos", { title });
    await by("DELETE", `/todos/${id}`);
    return id;
  };
  const id = await deleted(rest, "Pay rent");
  const list = await account.open(listPath);
  const address = linkTo(list.text, "forget");
  expect((await stranger.open(address)).status).toBe(404);
  const question = await account.open(address);
  await deleted(theirs, "Mine");
  const asked = linkTo((await stranger.open(listPath)).text, "forget");
  await stranger.submit(await stranger.open(asked), forgetPath, { id: String(id) });
  await press(account, list, "Deleted the todo");
  expect(await rest("GET", `/todos/${id}`)).toMatchObject({ title: "Pay rent" });
  expect(textOf(await account.submit(question, forgetPath, {}))).toContain("Delete it first");
});
