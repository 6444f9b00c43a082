import { expect, test } from "bun:test";
import { SQL } from "bun";
import { startStack } from "../../harness.ts";
import type { Browser, Page } from "../../support/identity/browser.ts";
import { pagesEnv, sessionOf, signedInBrowser } from "../../support/pages/live-support.ts";

const stack = await startStack({ env: pagesEnv });
const { config, clock } = stack;
const msPerDay = 86_400_000;

async function newPerson() {
  const sub = crypto.randomUUID();
  const token = await stack.issuer.token({ sub });
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  return { sub, rest, browser: await signedInBrowser(config, sub) };
}

const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

/** Presses the button of one item: a page has a form for each, and all lead to the same address. */
function tick(browser: Browser, page: Page, item: string, answers: Record<string, string> = { done: "yes" }) {
  const [kind, id] = item.split("-");
  const forms = page.forms.filter(({ fields }) =>
    fields.some(([name, value]) => name === `${kind}_id` && value === id),
  );
  return browser.submit({ ...page, forms }, "/account/tick", answers);
}

test("a tick leads to the item that is next, and its undo takes back that change and nothing else", async () => {
  const { browser, rest } = await newPerson();
  const [first, second] = [
    await rest("POST", "/todos", { title: "Pay rent" }),
    await rest("POST", "/todos", { title: "Call mum" }),
  ];
  const page = await tick(browser, await browser.open("/account"), `todo-${first.id}`);
  expect(new URL(page.url).hash).toBe(`#todo-${second.id}`);
  expect(textOf(page)).toContain("Done: Pay rent");
  await rest("PATCH", `/todos/${first.id}`, { title: "Pay the rent" });
  const undone = await browser.submit(page, "/account/tick/undo", {});
  expect(textOf(undone)).toContain("Taken back.");
  expect(new URL(undone.url).hash).toBe(`#todo-${first.id}`);
  expect(await rest("GET", `/todos/${first.id}`)).toMatchObject({
    is_completed: false,
    title: "Pay the rent",
  });
});

test("the tick of a repeating todo says when it comes again, and an edit leads back to its list", async () => {
  const { sub, rest, browser } = await newPerson();
  const due_date = new Date().toISOString().slice(0, 10);
  const { id } = await rest("POST", "/todos", { title: "Bins", due_date, recurrence: "FREQ=DAILY" });
  const done = await tick(browser, await browser.open("/account"), `todo-${id}`);
  expect(textOf(done)).toContain("It comes again: Tomorrow");
  const path = `/account/todos/${(await rest("GET", "/todos")).data[0].id}`;
  const from = "/account/todos?q=bin";
  const headers = {
    cookie: `kept_account=${await sessionOf(config, sub)}`,
    referer: `${config.baseUrl}${from}&tick=x`,
  };
  const form = await (await fetch(`${config.baseUrl}${path}`, { headers })).text();
  expect(form.split(`name="from" value="${from}"`).length - 1).toBe(2);
  const page = { ...(await browser.open(path)) };
  page.forms = page.forms.map((one) => ({ ...one, fields: [...one.fields, ["from", from]] }));
  const same = await browser.submit(page, path, {});
  expect(same.url).toContain(`${from}&tick=told_unchanged`);
  expect(textOf(same)).toContain("Nothing was changed.");
  expect((await browser.submit(page, path, { title: "Bins out" })).url).toContain(`${from}&did=`);
  expect((await browser.submit(page, `${path}/delete`, {})).url).toContain(`${from}&did=`);
});

test("what an agent has ticked off meanwhile is not offered as the person's own doing", async () => {
  const { browser, rest } = await newPerson();
  const todo = await rest("POST", "/todos", { title: "Pay rent" });
  const old = await browser.open("/account");
  await rest("POST", `/todos/${todo.id}/toggle`);
  const page = await tick(browser, old, `todo-${todo.id}`);
  expect(textOf(page)).not.toContain("Done: Pay rent");
  const gone = await rest("POST", "/todos", { title: "Gone" });
  const before = await browser.open("/account");
  await rest("DELETE", `/todos/${gone.id}`);
  expect(textOf(await tick(browser, before, `todo-${gone.id}`))).toContain("not there any more");
});

/** The forms of a page that add an amount. */
const adding = (page: Page): Page => ({
  ...page,
  forms: page.forms.filter(({ fields }) => fields.some(([name]) => name === "amount")),
});

test("an amount that was added is taken back alone", async () => {
  const { browser, rest } = await newPerson();
  const measure = { target: 8, unit: "glasses" };
  const { id } = await rest("POST", "/habits", {
    name: "Water",
    type: "good",
    frequency: "daily",
    ...measure,
  });
  await rest("POST", `/habits/${id}/complete`, { amount: 3 });
  const added = await browser.submit(adding(await browser.open("/account")), "/account/tick", {
    done: "add",
    amount: "5",
  });
  expect(textOf(added)).toContain("Added: Water");
  expect(textOf(added)).toContain("8 of 8 glasses");
  await rest("POST", `/habits/${id}/complete`, { amount: 1 });
  const undone = await browser.submit(added, "/account/tick/undo", {});
  expect(textOf(undone)).toContain("4 of 8 glasses");
  expect(await rest("GET", `/habits/${id}`)).toMatchObject({ amount_today: 4, is_completed_today: false });
  const actions = textOf(await browser.open("/account/actions"));
  expect(actions).toContain("Added to the habit Water");
  expect(actions).toContain("amount 8 → 9");
});

test("an amount on a page of yesterday is added to the day that is meant", async () => {
  const { browser, rest } = await newPerson();
  clock.now = Date.parse("2026-11-16T22:00:00Z");
  const { id } = await rest("POST", "/habits", {
    name: "Water",
    type: "good",
    frequency: "daily",
    target: 8,
  });
  const monday = await browser.open("/account");
  clock.now += 4 * 3_600_000;
  const asked = await browser.submit(adding(monday), "/account/tick", { done: "add", amount: "5" });
  expect(textOf(asked)).toContain("Add 5 for Monday");
  expect((await rest("GET", `/habits/${id}`)).recent_amounts).toEqual([]);
  const forms = asked.forms.filter(({ fields }) => fields.some(([, value]) => value === "2026-11-16"));
  await browser.submit({ ...asked, forms }, "/account/tick", { done: "add" });
  expect((await rest("GET", `/habits/${id}`)).recent_amounts).toEqual([{ date: "2026-11-16", amount: 5 }]);
});

test("a page of yesterday ticks nothing without asking, and then for the day that is meant", async () => {
  const { browser, rest } = await newPerson();
  clock.now = Date.parse("2026-11-16T22:00:00Z");
  const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const due = { due_date: "2026-11-16", recurrence: "FREQ=DAILY" };
  const repeating = await rest("POST", "/todos", { title: "Water", ...due });
  const plain = await rest("POST", "/todos", { title: "Pay rent" });
  const monday = await browser.open("/account");
  clock.now += 4 * 3_600_000;

  const asked = await tick(browser, monday, `habit-${habit.id}`);
  expect(textOf(asked)).toContain("It is Tuesday now, and the page was of Monday. Not ticked off yet: Read");
  const days = `/habits/${habit.id}/completions?from=2026-11-10`;
  expect((await rest("GET", days)).data).toEqual([]);
  const [forMonday, forToday] = asked.forms.filter(({ fields }) => fields.some(([name]) => name === "date"));
  await browser.submit({ ...asked, forms: forMonday ? [forMonday] : [] }, "/account/tick", { done: "yes" });
  const datesOf = async () => (await rest("GET", days)).data.map(({ date }: { date: string }) => date);
  expect(await datesOf()).toEqual(["2026-11-16"]);
  await browser.submit({ ...asked, forms: forToday ? [forToday] : [] }, "/account/tick", { done: "yes" });
  expect(await datesOf()).toEqual(["2026-11-17", "2026-11-16"]);

  expect(textOf(await tick(browser, monday, `todo-${repeating.id}`))).toContain("Not ticked off yet: Water");
  expect((await rest("GET", `/todos/${repeating.id}`)).is_completed).toBe(false);
  // The day does not matter for a todo without recurrence.
  await tick(browser, monday, `todo-${plain.id}`);
  expect((await rest("GET", `/todos/${plain.id}`)).is_completed).toBe(true);
  // Only today can change after more days than may still change.
  clock.now += 366 * msPerDay;
  const late = textOf(await tick(browser, monday, `habit-${habit.id}`));
  expect(late).toContain("Tick it for today");
  expect(late).not.toContain("Tick it for Mon");
  clock.now = undefined;
});

test("what a signed-out person sends is kept over the sign-in, for them alone, and done when they say so", async () => {
  const { sub, browser, rest } = await newPerson();
  const todo = await rest("POST", "/todos", { title: "Pay rent" });
  const page = await browser.open("/account");
  browser.cookies.delete("kept_account");
  await tick(browser, page, `todo-${todo.id}`);
  expect((await rest("GET", `/todos/${todo.id}`)).is_completed).toBe(false);

  const mallory = await signedInBrowser(config, "mallory");
  mallory.cookies.set("kept_sent", browser.cookies.get("kept_sent") ?? { value: "", path: "/account" });
  expect(textOf(await mallory.open("/account/sent"))).not.toContain("Go on with");

  browser.cookies.set("kept_account", {
    value: await sessionOf(config, sub, { sid: "new" }),
    path: "/account",
  });
  const asked = await browser.open("/account/sent");
  expect(textOf(asked)).toContain("Go on with: Done: Pay rent?");
  expect((await rest("GET", `/todos/${todo.id}`)).is_completed).toBe(false);
  await browser.submit(asked, "/account/tick", { done: "yes" });
  expect((await rest("GET", `/todos/${todo.id}`)).is_completed).toBe(true);
});

test("another site plants nothing over a sign-in", async () => {
  const body = new URLSearchParams({ csrf: "x.y", webhook_url: "https://evil.example/" });
  for (const headers of [{ origin: "https://evil.example" }, {}]) {
    const options = { method: "POST", body, headers, redirect: "manual" } as const;
    const answer = await fetch(`${config.baseUrl}/account/settings/webhook`, options);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  const planted = await fetch(`${config.baseUrl}/account/settings/webhook`, {
    method: "POST",
    body,
    headers: { origin: new URL(config.baseUrl).origin },
    redirect: "manual",
  });
  const kept = /kept_sent=([^;]+)/.exec(planted.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const { browser } = await newPerson();
  browser.cookies.set("kept_sent", { value: kept, path: "/account" });
  expect(textOf(await browser.open("/account/sent"))).not.toContain("evil.example");
});

test("a form of an earlier session is shown again with what was typed, and a long text is not lost either", async () => {
  const { sub, browser, rest } = await newPerson();
  const page = await browser.open("/account/settings");
  browser.cookies.set("kept_account", {
    value: await sessionOf(config, sub, { sid: "new" }),
    path: "/account",
  });
  const typed = { webhook_url: "https://example.com/hook" };
  const asked = await browser.submit(page, "/account/settings/webhook", typed);
  expect([asked.status, textOf(asked)]).toEqual([409, expect.stringContaining("https://example.com/hook")]);
  expect((await browser.submit(asked, "/account/settings/webhook", {})).text).toContain(
    "https://example.com/hook",
  );

  browser.cookies.delete("kept_account");
  const rent = await rest("POST", "/todos", { title: "Pay rent" });
  await browser.submit(
    {
      ...page,
      forms: [{ action: `/account/todos/${rent.id}/delete`, fields: page.forms.at(-1)?.fields ?? [] }],
    },
    `/account/todos/${rent.id}/delete`,
    {},
  );
  browser.cookies.set("kept_account", {
    value: await sessionOf(config, sub, { sid: "other" }),
    path: "/account",
  });
  expect(textOf(await browser.open("/account/sent"))).toContain("Go on with: Delete: Pay rent?");
  browser.cookies.delete("kept_account");
  const long = { webhook_url: `https://example.com/${"long ".repeat(2_000)}` };
  const held = await browser.submit(page, "/account/settings/webhook", long);
  expect(held.text).toContain(long.webhook_url);
  browser.cookies.set("kept_account", {
    value: await sessionOf(config, sub, { sid: "third" }),
    path: "/account",
  });
  const again = await browser.submit(held, "/account/settings/webhook", {});
  expect([again.status, again.text]).toEqual([409, expect.stringContaining(long.webhook_url)]);
});

test("a tick that fails inside says so", async () => {
  const { browser, rest } = await newPerson();
  const todo = await rest("POST", "/todos", { title: "Poison" });
  await using sql = new SQL(config.databaseUrl, { max: 1 });
  await sql.unsafe(`
    create function refuse_poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$`);
  await sql.unsafe(`
    create trigger poison before insert or update on todos
    for each row when (new.title = 'Poison') execute function refuse_poison()`);
  const page = await tick(browser, await browser.open("/account"), `todo-${todo.id}`);
  expect([page.status, textOf(page)]).toEqual([500, expect.stringContaining("That did not work")]);
});

test("odd ticks, notes and undos are told in words or ignored, and break nothing", async () => {
  const { browser, rest } = await newPerson();
  const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const page = await browser.open("/account");
  const statuses: number[] = [];
  const own = { done: "yes", habit_id: String(habit.id) };
  for (const odd of [
    { habit_id: "x" },
    { habit_id: "1e308" },
    { habit_id: "-1" },
    { day: "0000-00-00" },
    { day: "2026-99-99" },
    { day: "\u0000_" },
    { date: "2026-99-99" },
    { date: "9999-12-31" },
    { next: "\u0000#//x" },
    { from: "https://evil.example/" },
  ]) {
    const answer = await browser.submit(page, "/account/tick", { ...own, ...odd });
    expect(new URL(answer.url).origin).toBe(config.baseUrl);
    statuses.push(answer.status);
  }
  for (const note of [
    "late_habit-1_yes_2026-99-99",
    "late_x",
    "done_x_y",
    "told_constructor",
    "%00",
    "late_todo-999_no_",
  ])
    statuses.push((await browser.open(`/account?tick=${note}`)).status);
  const undo = await tick(browser, await browser.open("/account"), `habit-${habit.id}`, { done: "no" });
  statuses.push(undo.status);
  for (const odd of [{ called_at: "yesterday" }, { request_id: "1" }])
    statuses.push((await browser.submit(undo, "/account/tick/undo", odd)).status);
  statuses.push((await browser.open("/account/connect?since=-1e400")).status);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});
