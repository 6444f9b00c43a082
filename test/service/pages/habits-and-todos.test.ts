import { afterAll, expect, spyOn, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openDatabase } from "../../../shared/db/orm.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { startStack } from "../../harness.ts";
import { fillUser } from "../../support/full-user.ts";
import { axeFaults } from "../../support/pages/axe.ts";
import { pagesEnv, sessionOf, signedInBrowser } from "../../support/pages/live-support.ts";
import { browserTest, launchBrowser } from "../../support/pages/support.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => database.close());
const stack = await startStack({ env: pagesEnv });
const { config, clock, rest, issuer } = stack;
const database = await openDatabase({ url: config.databaseUrl, log: createLog("test", "error") });
const today = "2026-11-19"; // a Thursday
clock.now = Date.parse(`${today}T12:00:00Z`);

async function person(sub: string) {
  const token = await issuer.token({ sub });
  const make = async (path: string, body: object = {}) => (await rest("POST", path, { token, body })).body;
  const read = async (path: string) => (await rest("GET", path, { token })).body;
  return { make, read, browser: await signedInBrowser(config, sub) };
}

const reading = { name: "Read", type: "good", frequency: "daily", grace_days: 1 };

test("times and dates follow the language of the browser", async () => {
  const { make } = await person("grace");
  await make("/todos", { title: "Call Ada", due_date: today, due_time: "14:30" });
  const headers = { cookie: `kept_account=${await sessionOf(config, "grace")}`, "accept-language": "en-US" };
  const text = await (await fetch(`${config.baseUrl}/account`, { headers })).text();
  expect(text).toContain("Thursday, November 19, 2026");
  expect(text).toContain("2:30 PM");
});

test("a habit's page tells its streak, grace, week and year", async () => {
  const { make, browser } = await person("ada");
  const { id } = await make("/habits", { ...reading, description: "Twenty pages" });
  for (const ago of [4, 3, 1]) await make(`/habits/${id}/complete`, { date: addDays(today, -ago) });
  const { text, status } = await browser.open(`/account/habits/${id}`);
  expect(status).toBe(200);
  expect(text).toContain("Twenty pages");
  expect(text).toMatch(/<strong>3<\/strong> <span class="quiet">days in the streak/);
  expect(text).toContain("Alive until tomorrow, 1 grace day left.");
  expect(text).toContain("2 of 7 this week");
  expect(text).toContain("November 2026: 3.");
  expect(text).toContain(`href="/account/habits/${id}/edit"`);
  expect(text).not.toContain("style=");
});

test("an amount is added on Today, and on the habit's page to an earlier day, which is set to 0", async () => {
  const { read, browser } = await person("tara");
  const form = { name: "Water", rhythm: "daily", target: "8", unit: "glasses" };
  await browser.submit(await browser.open("/account/habits/new"), "/account/habits/new", form);
  const { id } = (await read("/habits")).data[0];
  expect(await read(`/habits/${id}`)).toMatchObject({ target: 8, unit: "glasses", amount_today: 0 });
  const adding = (page: Awaited<ReturnType<typeof browser.open>>, date?: string) => ({
    ...page,
    forms: page.forms.filter(
      ({ fields }) =>
        fields.some(([name]) => name === "amount") &&
        (date === undefined || fields.some(([name, value]) => name === "date" && value === date)),
    ),
  });
  const home = await browser.open("/account");
  expect(home.text).toContain("0 of 8 glasses");
  const added = await browser.submit(adding(home), "/account/tick", { done: "add", amount: "6" });
  expect(added.text).toContain("6 of 8 glasses");
  const path = `/account/habits/${id}`;
  const before = addDays(today, -1);
  const past = await browser.submit(adding(await browser.open(path), before), "/account/tick", {
    done: "add",
    amount: "9",
  });
  expect(past.text).toContain("done, 9 of 8 glasses");
  expect(await read(`/habits/${id}`)).toMatchObject({
    amount_today: 6,
    streak_count: 1,
    completions_count: 1,
  });
  const cleared = await browser.submit(past, "/account/tick", { date: before, done: "no" });
  expect(cleared.text).not.toContain("9 of 8");
  const wrong = await browser.submit(adding(await browser.open("/account")), "/account/tick", {
    done: "add",
    amount: "0",
  });
  expect([wrong.status, (await read(`/habits/${id}`)).amount_today]).toEqual([422, 6]);
});

test("a day is skipped and asked for again on the habit's page, which also tells a pause", async () => {
  const { make, read, browser } = await person("una");
  const { id } = await make("/habits", { ...reading, grace_days: 0 });
  await make(`/habits/${id}/complete`, { date: addDays(today, -2) });
  const path = `/account/habits/${id}`;
  const yesterday = { date: addDays(today, -1), done: "skip" };
  const skipped = await browser.submit(await browser.open(path), "/account/tick", yesterday);
  expect(skipped.url).toContain(`${path}?tick=skipped`);
  expect(skipped.text).toContain("Take the skip back");
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 1, skipped_dates: [yesterday.date] });
  await browser.submit(skipped, "/account/tick", { ...yesterday, done: "unskip" });
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 0, skipped_dates: [] });
  const paused_from = addDays(today, -1);
  await browser.submit(await browser.open(`${path}/edit`), `${path}/edit`, { paused_from });
  expect(await read(`/habits/${id}`)).toMatchObject({ streak_count: 1, paused_from, paused_through: null });
  expect((await browser.open(path)).text).toContain("<p>Archived. </p>");
});

test("a past day is made good and taken back on the habit's page, and its streak follows", async () => {
  const { make, read, browser } = await person("bea");
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
  const { make } = await person("cora");
  const { id } = await make("/habits", reading);
  const { make: makeOwn, browser } = await person("dora");
  const own = await makeOwn("/habits", reading);
  for (const path of [`/account/habits/${id}`, "/account/habits/999999999999999"])
    expect((await browser.open(path)).status).toBe(404);
  const page = await browser.open(`/account/habits/${own.id}`);
  const sent = { habit_id: String(id), date: today, done: "yes" };
  expect((await browser.submit(page, "/account/tick", sent)).text).toContain("It is not there any more.");
});

test("all habits are listed, those that are not due apart, and found by a word or a category", async () => {
  const { make, browser } = await person("eva");
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
  const { make, browser } = await person("fay");
  const dates = { late: -1, now: 0, next: 1, soon: 3, far: 4 };
  for (const [title, days] of Object.entries(dates))
    await make("/todos", { title, due_date: addDays(today, days) });
  await make("/todos", { title: "whenever", description: "Ask about the lease" });
  const gone = await make("/todos", { title: "gone" });
  await make(`/todos/${gone.id}/toggle`);
  await make("/todos", {
    title: "again",
    due_date: today,
    recurrence: "FREQ=WEEKLY;BYDAY=SA",
    context: "home",
  });
  const all = (await browser.open("/account/todos")).text;
  const order = ["Overdue</h2>", ">late<", "Today</h2>", ">now<", "every Sat", "Tomorrow</h2>", ">next<"];
  order.push(
    "This week</h2>",
    ">soon<",
    "Later</h2>",
    ">far<",
    "No date</h2>",
    ">whenever<",
    "Ask about the lease",
  );
  order.push('<details><summary><h2 class="part">Done</h2>', ">gone<");
  const places = order.map((text) => all.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  const day = (await browser.open("/account")).text;
  expect(day).toMatch(/<details><summary><h2 class="part">Later <span class="count">2</);
  expect(day).toMatch(/<details><summary><h2 class="part">No date <span class="count">1</);
  expect(day).not.toContain(">gone<");
});

test("filters live in the address, work together, and what makes no sense is told", async () => {
  const { make, browser } = await person("gil");
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
  expect(await titles("q=water")).toEqual(["plants", "lawn", "bill"]);
  expect(await titles("q=water&status=incomplete")).toEqual(["plants", "lawn"]);
  expect(await titles("status=completed")).toEqual(["bill"]);
  expect(await titles("due=undated")).toEqual(["lawn"]);
  expect(await titles("due=today&q=water")).toEqual(["plants"]);
  expect(await titles("due=overdue")).toEqual([]);
  expect(await titles(`category_id=${home.id}&context=home&q=&status=`)).toEqual(["plants"]);
  expect(await titles("due=today&status=completed")).toEqual([]);
  for (const wrong of ["due=never", "page=0", "category_id=x", "status=lost", `q=${"a".repeat(300)}`])
    expect([wrong, (await browser.open(`/account/todos?${wrong}`)).status]).toEqual([wrong, 422]);
  expect((await browser.open("/account/todos?page=9007199254740991")).status).toBe(200);
});

test("todos and habits are sorted as one asks, and what is important is marked", async () => {
  const { make, browser } = await person("ivy");
  await make("/todos", { title: "Wash", due_date: today });
  await make("/todos", { title: "apply", due_date: addDays(today, 2), is_important: true });
  await make("/todos", { title: "Zip", is_important: true });
  await make("/todos", { title: "Fix", due_date: addDays(today, -1) });
  const namesOn = async (path: string) =>
    [...(await browser.open(path)).text.matchAll(/<a href="[^"]+\/\d+">([^<]+)<\/a><\/p>/g)].map(
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
  await fillUser(config.databaseUrl, "full", today);
  const browser = await signedInBrowser(config, "full");
  const pool = Object.getPrototypeOf(database.pool);
  const seen = new Set<string>();
  const statements = async (path: string) => {
    const sent = spyOn(pool, "query");
    const { status, text } = await browser.open(path);
    const own = sent.mock.calls.filter(([one]) => JSON.stringify(one).includes('"full"')).length;
    sent.mockRestore();
    expect(status).toBe(200);
    if (path.startsWith("/account/todos?page"))
      for (const [id] of text.matchAll(/id="todo-\d+"/g)) seen.add(id);
    return own;
  };
  const counted = async (paths: readonly string[]) => {
    const counts: [string, number][] = [];
    for (const path of paths) counts.push([path, await statements(path)]);
    return Object.fromEntries(counts);
  };
  expect(
    await counted([
      "/account",
      "/account/habits",
      "/account/habits/9000001",
      "/account/todos",
      "/account/todos?q=todo",
    ]),
  ).toEqual({
    "/account": 11,
    "/account/habits": 5,
    "/account/habits/9000001": 7,
    "/account/todos": 8,
    "/account/todos?q=todo": 8,
  });
  for (let page = 1; page <= 20; page++)
    expect(await statements(`/account/todos?page=${page}`)).toBeLessThanOrEqual(10);
  expect(seen.size).toBe(2_000);
});

let launched: Browser | undefined;
afterAll(() => launched?.close());

browserTest("a person sees a habit, corrects yesterday, finds a done todo and turns the page", async () => {
  const { make } = await person("hal");
  const habit = await make("/habits", { ...reading, name: "Read twenty pages before the light goes out" });
  const health = await make("/categories", { name: "Health and everything that belongs to it" });
  await make("/habits", { ...reading, name: "Run", category_id: health.id });
  const bulk = Array.from({ length: 101 }, (_, n) =>
    make("/todos", { title: `Errand ${n}`, due_date: today }),
  );
  const [first] = await Promise.all(bulk);
  await make(`/todos/${first.id}/toggle`);
  await make("/todos", { title: "The last one", category_id: health.id });

  launched = await launchBrowser();
  const context = await launched.newContext({ viewport: { width: 320, height: 700 } });
  const cookie = {
    name: "kept_account",
    value: await sessionOf(config, "hal"),
    url: `${config.baseUrl}/account`,
  };
  await context.addCookies([cookie]);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults = async () => {
    const found = await axeFaults(page);
    if ((await page.evaluate("document.documentElement.scrollWidth")) !== page.viewportSize()?.width)
      found.push(`${page.url()} is too wide`);
    return found;
  };

  await page.goto(`${config.baseUrl}/account`);
  expect(await page.getByText("completions of habits since").isVisible()).toBe(false);
  expect(await faults()).toEqual([]);
  await page.getByText("The year", { exact: true }).click();
  await page.getByText("completions of habits since").waitFor();
  await page.getByRole("link", { name: habit.name }).click();
  await page.getByRole("button", { name: "I did it: Yesterday" }).click();
  await page.getByRole("button", { name: "Take back: Yesterday" }).waitFor();
  expect(await page.locator(".tile").first().innerText()).toContain("1");
  expect(await faults()).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faults()).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 700 });
  await page.goto(`${config.baseUrl}/account`);
  await page.getByText("1 completion of habits since").waitFor();

  await page.goto(`${config.baseUrl}/account/todos`);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByRole("link", { name: "The last one" }).waitFor();
  await page.getByLabel("Search").fill("errand 0");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: "Open again: Errand 0" }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("errand 0");
  expect(await faults()).toEqual([]);
  await page.goto(`${config.baseUrl}/account/habits`);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await faults()).toEqual([]);
});
