import { afterAll, beforeEach, expect, spyOn, test } from "bun:test";
import { Pool } from "pg";
import { addDays } from "../../../shared/domain/day/day.ts";
import { useStack } from "../../harness.ts";
import { fillUser } from "../../support/full-user.ts";
import { sessionOf } from "../../support/pages/live-support.ts";
import { newPlainPerson, withForms } from "../../support/pages/plain.ts";

const stack = await useStack({ travels: true });
const { config, clock } = stack;
const today = "2026-11-19"; // a Thursday
beforeEach(() => {
  clock.now = Date.parse(`${today}T12:00:00Z`);
});
afterAll(() => {
  clock.now = undefined;
});

async function newPerson() {
  const { account, sub, rest } = await newPlainPerson(stack);
  const make = (path: string, body: object = {}) => rest("POST", path, body);
  return { sub, make, read: (path: string) => rest("GET", path), browser: account };
}

const reading = { name: "Read", type: "good", frequency: "daily", grace_days: 1 };

test("times and dates follow the language of the browser", async () => {
  const { sub, make } = await newPerson();
  await make("/todos", { title: "Call Ada", due_date: today, due_time: "14:30" });
  const headers = { cookie: `kept_account=${await sessionOf(config, sub)}`, "accept-language": "en-US" };
  const text = await (await fetch(`${config.baseUrl}/account`, { headers })).text();
  expect(text).toContain("Thursday, November 19, 2026");
  expect(text).toContain("2:30 PM");
});

test("a habit's page tells its streak, grace, week and year", async () => {
  const { make, browser } = await newPerson();
  const { id } = await make("/habits", { ...reading, description: "Twenty pages" });
  for (const ago of [4, 3, 1]) await make(`/habits/${id}/complete`, { date: addDays(today, -ago) });
  const { text, status } = await browser.open(`/account/habits/${id}`);
  expect(status).toBe(200);
  expect(text).toContain("Twenty pages");
  expect(text).toMatch(/<strong>3<\/strong>\s+day streak<p>Alive until tomorrow, 1 grace day left\./);
  expect(text).toMatch(/<strong>75\u00a0%<\/strong><p>of the last 30 days/);
  expect(text).toContain("2 of 7 this week");
  expect(text).toContain("November 2026: 3.");
  expect(text).toContain(`href="/account/habits/${id}/edit"`);
  expect(text).not.toContain("style=");
});

test("an amount is added on Today, and on the habit's page to an earlier day, which is set to 0", async () => {
  const { read, browser } = await newPerson();
  const form = { name: "Water", rhythm: "daily", target: "8", unit: "glasses" };
  await browser.submit(await browser.open("/account/habits/new"), "/account/habits/new", form);
  const { id } = (await read("/habits")).data[0];
  expect(await read(`/habits/${id}`)).toMatchObject({ target: 8, unit: "glasses", amount_today: 0 });
  const home = await browser.open("/account");
  const add = (page: typeof home, amount: string, date?: string) => {
    const forms = withForms(page, "amount");
    const form = date ? withForms(forms, "date", date) : forms;
    return browser.submit(form, "/account/tick", { done: "add", amount });
  };
  expect(home.text).toContain("0 of 8 glasses");
  expect((await add(home, "6")).text).toContain("6 of 8 glasses");
  const before = addDays(today, -1);
  const past = await add(await browser.open(`/account/habits/${id}?day=${before}`), "9", before);
  expect(past.text).toContain("done, 9 of 8 glasses");
  const counted = { amount_today: 6, streak_count: 1, completions_count: 1 };
  expect(await read(`/habits/${id}`)).toMatchObject(counted);
  const cleared = await browser.submit(past, "/account/tick", { date: before, done: "no" });
  expect(cleared.text).not.toContain("9 of 8");
  const wrong = await add(await browser.open("/account"), "0");
  expect([wrong.status, (await read(`/habits/${id}`)).amount_today]).toEqual([422, 6]);
});

test("a day is skipped and asked for again on the habit's page, which also tells a pause", async () => {
  const { make, read, browser } = await newPerson();
  const { id } = await make("/habits", { ...reading, grace_days: 0 });
  await make(`/habits/${id}/complete`, { date: addDays(today, -2) });
  const path = `/account/habits/${id}`;
  const yesterday = { date: addDays(today, -1), done: "skip" };
  const skipped = await browser.submit(await browser.open(path), "/account/tick", yesterday);
  expect(skipped.url).toContain(`${path}?tick=skipped`);
  expect(skipped.text).toContain("skipped");
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 1, skipped_dates: [yesterday.date] });
  await browser.submit(skipped, "/account/tick", { ...yesterday, done: "unskip" });
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 0, skipped_dates: [] });
  const paused_from = addDays(today, -1);
  await browser.submit(await browser.open(`${path}/edit`), `${path}/edit`, { paused_from });
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 1, paused_from, paused_through: null });
  expect((await browser.open(path)).text).toContain("<p>Archived.</p>");
});

test("a past day is made good and taken back on the habit's page, and its streak follows", async () => {
  const { make, read, browser } = await newPerson();
  const { id } = await make("/habits", reading);
  await make(`/habits/${id}/complete`);
  const path = `/account/habits/${id}`;
  const yesterday = { date: addDays(today, -1), done: "yes" };
  const corrected = await browser.submit(await browser.open(path), "/account/tick", yesterday);
  expect(corrected.url).toContain(`${path}?tick=done`);
  expect((await read(`/habits/${id}`)).streak_count).toBe(2);
  // A repeat changes nothing and is no error.
  const again = await browser.submit(corrected, "/account/tick", yesterday);
  expect(again.text).toContain("That was so already.");
  await browser.submit(again, "/account/tick", { ...yesterday, done: "no" });
  expect((await read(`/habits/${id}`)).streak_count).toBe(1);
  for (const date of [addDays(today, -367), addDays(today, 1), "soon", ""]) {
    const { text } = await browser.submit(again, "/account/tick", { date, done: "yes" });
    expect([date, text.includes("That day can no longer be changed.")]).toEqual([date, true]);
  }
  expect((await read(`/habits/${id}/completions`)).data).toHaveLength(1);
  // A correction names its day, so it may come from a page of an earlier day.
  const late = await browser.submit(again, "/account/tick", { ...yesterday, day: addDays(today, -1) });
  expect(late.url).toContain(`${path}?tick=done`);
});

test("there is no page of a habit that is somebody else's or nobody's, and no correction", async () => {
  const { make } = await newPerson();
  const { id } = await make("/habits", reading);
  const { make: makeOwn, browser } = await newPerson();
  const own = await makeOwn("/habits", reading);
  for (const path of [`/account/habits/${id}`, "/account/habits/999999999999999"])
    expect((await browser.open(path)).status).toBe(404);
  const page = await browser.open(`/account/habits/${own.id}`);
  const sent = { habit_id: String(id), date: today, done: "yes" };
  expect((await browser.submit(page, "/account/tick", sent)).text).toContain("It is not there any more.");
});

test("all habits are listed, those that are not due apart, and found by a word or a category", async () => {
  const { make, browser } = await newPerson();
  const health = await make("/categories", { name: "Health" });
  await make("/habits", { ...reading, category_id: health.id });
  await make("/habits", { ...reading, name: "Rest", frequency: "custom", schedule: { weekdays: [7] } });
  const { text } = await browser.open("/account/habits");
  expect(text.indexOf(">Read<")).toBeWithin(text.indexOf("Due today"), text.indexOf("Not due today"));
  expect(text.indexOf(">Rest<")).toBeGreaterThan(text.indexOf("Not due today"));
  const found = (await browser.open("/account/habits?q=RÉST&category_id=&page=1")).text;
  expect([found.includes(">Rest<"), found.includes(">Read<")]).toEqual([true, false]);
  const ofHealth = (await browser.open(`/account/habits?category_id=${health.id}`)).text;
  expect([ofHealth.includes(">Rest<"), ofHealth.includes(">Read<")]).toEqual([false, true]);
});

test("todos are grouped on their page and today's, with all that is known of them", async () => {
  const { make, browser } = await newPerson();
  const dates = { late: -1, now: 0, next: 1, soon: 3, far: 4 };
  for (const [title, days] of Object.entries(dates))
    await make("/todos", { title, due_date: addDays(today, days) });
  await make("/todos", { title: "whenever", description: "Ask about the lease" });
  const gone = await make("/todos", { title: "gone" });
  await make(`/todos/${gone.id}/toggle`);
  const weekly = { due_date: today, recurrence: "FREQ=WEEKLY;BYDAY=SA" };
  await make("/todos", { ...weekly, title: "again", context: "home" });
  const all = (await browser.open("/account/todos")).text;
  const order = ["Overdue</h2>", ">late<", "Today</h2>", ">now<", "every Sat", "Tomorrow</h2>", ">next<"];
  order.push("This week</h2>", ">soon<", "Later</h2>", ">far<", "No date</h2>", ">whenever<");
  order.push('<details><summary><h2 class="part">Done</h2>', ">gone<");
  const places = order.map((text) => all.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  const day = (await browser.open("/account")).text;
  expect(day).toMatch(/<details><summary><h2 class="part">Later <span class="count">1</);
  expect(day).toMatch(/<details><summary><h2 class="part">No date <span class="count">1</);
  expect(day).not.toContain(">gone<");
});

test("filters live in the address, work together, and what makes no sense is told", async () => {
  const { make, browser } = await newPerson();
  const home = await make("/categories", { name: "Home" });
  await make("/todos", { title: "Water the plants", context: "Home", category_id: home.id, due_date: today });
  await make("/todos", { title: "Water the lawn" });
  const { id } = await make("/todos", { title: "Water bill", due_date: addDays(today, -2) });
  await make(`/todos/${id}/toggle`);
  const titles = async (query: string) => {
    const { text } = await browser.open(`/account/todos?${query}`);
    return ["plants", "lawn", "bill"].filter((word) =>
      text.includes(`Water ${word === "bill" ? "" : "the "}${word}</a>`),
    );
  };
  for (const [query, found] of [
    ["q=water", ["plants", "lawn", "bill"]],
    ["q=water&status=incomplete", ["plants", "lawn"]],
    ["status=completed", ["bill"]],
    ["due=undated", ["lawn"]],
    ["due=today&q=water", ["plants"]],
    ["due=overdue", []],
    [`category_id=${home.id}&context=home&q=&status=`, ["plants"]],
    ["due=today&status=completed", []],
  ] as const)
    expect([query, await titles(query)]).toEqual([query, [...found]]);
  for (const wrong of ["due=never", "page=0", "category_id=x", "status=lost", `q=${"a".repeat(300)}`])
    expect([wrong, (await browser.open(`/account/todos?${wrong}`)).status]).toEqual([wrong, 422]);
  expect((await browser.open("/account/todos?page=9007199254740991")).status).toBe(200);
});

test("todos and habits are sorted as one asks, and what is important is marked", async () => {
  const { make, browser } = await newPerson();
  await make("/todos", { title: "Wash", due_date: today });
  await make("/todos", { title: "apply", due_date: addDays(today, 2), is_important: true });
  await make("/todos", { title: "Zip", is_important: true });
  await make("/todos", { title: "Fix", due_date: addDays(today, -1) });
  const namesOn = async (path: string) =>
    [...(await browser.open(path)).text.matchAll(/<a href="[^"]+\/\d+" dir="auto">([^<]+)<\/a><\/p>/g)].map(
      ([, name]) => name,
    );
  expect(await namesOn("/account/todos")).toEqual(["Fix", "Wash", "apply", "Zip"]);
  expect(await namesOn("/account/todos?sort=important")).toEqual(["apply", "Zip", "Fix", "Wash"]);
  expect(await namesOn("/account/todos?sort=title")).toEqual(["apply", "Fix", "Wash", "Zip"]);
  expect(await namesOn("/account/todos?sort=newest&q=i")).toEqual(["Fix", "Zip"]);
  const { text } = await browser.open("/account/todos");
  expect(text.match(/aria-label="Important"/g)).toHaveLength(2);
  const run = await make("/habits", { ...reading, name: "Run" });
  await make("/habits", { ...reading, name: "dance" });
  await make("/habits", { ...reading, name: "Knit", paused_from: today });
  await make(`/habits/${run.id}/complete`);
  const habits = (query: string) => namesOn(`/account/habits${query}`);
  expect(await habits("")).toEqual(["Run", "dance", "Knit"]);
  expect(await habits("?sort=name")).toEqual(["dance", "Knit", "Run"]);
  expect(await habits("?sort=streak")).toEqual(["Run", "dance", "Knit"]);
  expect((await browser.open("/account/habits")).text).toContain('Archived <span class="count">1</span>');
});

test("pages of a full account send a fixed number of statements, and page by page show each todo once", async () => {
  const { sub, browser } = await newPerson();
  await fillUser(config.databaseUrl, sub, today);
  const seen = new Set<string>();
  const statements = async (path: string) => {
    const sent = spyOn(Pool.prototype, "query");
    const { status, text } = await browser.open(path);
    const own = sent.mock.calls.filter(([one]) => JSON.stringify(one).includes(`"${sub}"`)).length;
    sent.mockRestore();
    expect(status).toBe(200);
    if (path.startsWith("/account/todos?page"))
      for (const [id] of text.matchAll(/id="todo-\d+"/g)) seen.add(id);
    return own;
  };
  for (const [path, count] of [
    ["/account", 15],
    ["/account/habits", 9],
    ["/account/habits/9000001", 12],
    ["/account/todos", 14],
    ["/account/todos?q=todo", 14],
  ] as const)
    expect([path, await statements(path)]).toEqual([path, count]);
  expect((await browser.open("/account/todos")).text).toMatch(/href="[^"]*page=2"[^>]*>Next</);
  for (let page = 1; page <= 20; page++)
    expect(await statements(`/account/todos?page=${page}`)).toBeLessThanOrEqual(16);
  expect(seen.size).toBe(2_000);
});
