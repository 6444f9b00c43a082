import { afterEach, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { type Browser, cookieOf, type Page } from "../../support/identity/browser.ts";
import { sessionOf, signedInBrowser } from "../../support/pages/live-support.ts";
import { newPlainPerson, textOf, withForms } from "../../support/pages/plain.ts";

const stack = await useStack({ travels: true });
const { config, clock, sql } = stack;
const msPerDay = 86_400_000;
afterEach(() => {
  clock.now = undefined;
});

async function newPerson() {
  const person = await newPlainPerson(stack);
  const { account, sub, rest } = person;
  return {
    ...person,
    /** Comes back from the provider, with a session of another id. */
    async signInAgain(sid: string) {
      account.cookies.set("kept_account", { value: await sessionOf(config, sub, { sid }), path: "/account" });
    },
    makeHabit: (name: string, more: object = {}) =>
      rest("POST", "/habits", { name, type: "good", frequency: "daily", ...more }),
    makeTodo: (title: string, more: object = {}) => rest("POST", "/todos", { title, ...more }),
    isCompleted: async (id: number) => (await rest("GET", `/todos/${id}`)).is_completed,
  };
}

/** Presses the button of one item. */
function tick(browser: Browser, page: Page, item: string, answers: Record<string, string> = { done: "yes" }) {
  const [kind, id] = item.split("-");
  return browser.submit(withForms(page, `${kind}_id`, id), "/account/tick", answers);
}

const add = (browser: Browser, page: Page, amount: string) =>
  browser.submit(withForms(page, "amount"), "/account/tick", { done: "add", amount });

test("a tick leads to the item that is next, and its undo takes back that change and nothing else", async () => {
  const { account, rest, makeTodo } = await newPerson();
  const [first, second] = [await makeTodo("Pay rent"), await makeTodo("Call mum")];
  const page = await tick(account, await account.open("/account"), `todo-${first.id}`);
  expect(new URL(page.url).hash).toBe(`#todo-${second.id}`);
  expect(textOf(page)).toContain("Done: Pay rent");
  await rest("PATCH", `/todos/${first.id}`, { title: "Pay the rent" });
  const undone = await account.submit(page, "/account/tick/undo", {});
  expect(textOf(undone)).toContain("Taken back.");
  expect(new URL(undone.url).hash).toBe(`#todo-${first.id}`);
  const found = await rest("GET", `/todos/${first.id}`);
  expect(found).toMatchObject({ is_completed: false, title: "Pay the rent" });
});

test("the tick of a repeating todo says when it comes again, and an edit leads back to its list", async () => {
  const { rest, account, makeTodo } = await newPerson();
  const due_date = new Date().toISOString().slice(0, 10);
  const { id } = await makeTodo("Bins", { due_date, recurrence: "FREQ=DAILY" });
  const done = await tick(account, await account.open("/account"), `todo-${id}`);
  expect(textOf(done)).toContain("It comes again: Tomorrow");
  const path = `/account/todos/${(await rest("GET", "/todos")).data[0].id}`;
  const from = "/account/todos?q=bin";
  const headers = { cookie: cookieOf(account), referer: `${config.baseUrl}${from}&tick=x` };
  const form = await (await fetch(`${config.baseUrl}${path}`, { headers })).text();
  expect(form.split(`name="from" value="${from}"`).length - 1).toBe(2);
  const page = await account.open(path);
  page.forms = page.forms.map((one) => ({ ...one, fields: [...one.fields, ["from", from]] }));
  const same = await account.submit(page, path, {});
  expect(same.url).toContain(`${from}&tick=told_unchanged`);
  expect(textOf(same)).toContain("Nothing was changed.");
  expect((await account.submit(page, path, { title: "Bins out" })).url).toContain(`${from}&tick=saved_`);
  expect((await account.submit(page, `${path}/delete`, {})).url).toContain(`${from}&tick=deleted_`);
});

test("what an agent has ticked off meanwhile is not offered as the person's own doing", async () => {
  const { account, rest, makeTodo } = await newPerson();
  const [ticked, gone] = [await makeTodo("Pay rent"), await makeTodo("Gone")];
  const old = await account.open("/account");
  await rest("POST", `/todos/${ticked.id}/toggle`);
  expect(textOf(await tick(account, old, `todo-${ticked.id}`))).not.toContain("Done: Pay rent");
  await rest("DELETE", `/todos/${gone.id}`);
  expect(textOf(await tick(account, old, `todo-${gone.id}`))).toContain("not there any more");
});

test("an amount that was added is taken back alone", async () => {
  const { account, rest, makeHabit } = await newPerson();
  const { id } = await makeHabit("Water", { target: 8, unit: "glasses" });
  await rest("POST", `/habits/${id}/complete`, { amount: 3 });
  const added = await add(account, await account.open("/account"), "5");
  expect(textOf(added)).toContain("Added: Water");
  expect(textOf(added)).toContain("8 of 8 glasses");
  await rest("POST", `/habits/${id}/complete`, { amount: 1 });
  const undone = await account.submit(added, "/account/tick/undo", {});
  expect(textOf(undone)).toContain("4 of 8 glasses");
  expect(await rest("GET", `/habits/${id}`)).toMatchObject({ amount_today: 4, is_completed_today: false });
  const actions = textOf(await account.open("/account/actions"));
  expect(actions).toContain("Added to the habit Water");
  expect(actions).toContain("amount 8 → 9");
});

test("an amount on a page of yesterday is added to the day that is meant", async () => {
  const { account, rest, makeHabit } = await newPerson();
  clock.now = Date.parse("2026-11-16T22:00:00Z");
  const { id } = await makeHabit("Water", { target: 8 });
  const monday = await account.open("/account");
  clock.now += 4 * 3_600_000;
  const asked = await add(account, monday, "5");
  expect(textOf(asked)).toContain("Add 5 for Monday");
  expect((await rest("GET", `/habits/${id}`)).recent_amounts).toEqual([]);
  await account.submit(withForms(asked, "date", "2026-11-16"), "/account/tick", { done: "add" });
  expect((await rest("GET", `/habits/${id}`)).recent_amounts).toEqual([{ date: "2026-11-16", amount: 5 }]);
});

test("a page of yesterday ticks nothing without asking, and then for the day that is meant", async () => {
  const { account, rest, makeHabit, makeTodo, isCompleted } = await newPerson();
  clock.now = Date.parse("2026-11-16T22:00:00Z");
  const habit = await makeHabit("Read");
  const repeating = await makeTodo("Water", { due_date: "2026-11-16", recurrence: "FREQ=DAILY" });
  const plain = await makeTodo("Pay rent");
  const monday = await account.open("/account");
  clock.now += 4 * 3_600_000;

  const asked = await tick(account, monday, `habit-${habit.id}`);
  expect(textOf(asked)).toContain("It is Tuesday now, and the page was of Monday. Not ticked off yet: Read");
  const datesOf = async () => {
    const { data } = await rest("GET", `/habits/${habit.id}/completions?from=2026-11-10`);
    return data.map(({ date }: { date: string }) => date);
  };
  expect(await datesOf()).toEqual([]);
  const [forMonday, forToday] = withForms(asked, "date").forms;
  for (const [form, dates] of [
    [forMonday, ["2026-11-16"]],
    [forToday, ["2026-11-17", "2026-11-16"]],
  ] as const) {
    await account.submit({ ...asked, forms: form ? [form] : [] }, "/account/tick", { done: "yes" });
    expect(await datesOf()).toEqual([...dates]);
  }

  expect(textOf(await tick(account, monday, `todo-${repeating.id}`))).toContain("Not ticked off yet: Water");
  expect(await isCompleted(repeating.id)).toBe(false);
  // The day does not matter for a todo without recurrence.
  await tick(account, monday, `todo-${plain.id}`);
  expect(await isCompleted(plain.id)).toBe(true);
  // Only today can change after more days than may still change.
  clock.now += 366 * msPerDay;
  const late = textOf(await tick(account, monday, `habit-${habit.id}`));
  expect(late).toContain("Tick it for today");
  expect(late).not.toContain("Tick it for Mon");
});

test("what a signed-out person sends is kept over the sign-in, for them alone, and done when they say so", async () => {
  const { account, makeTodo, isCompleted, signInAgain } = await newPerson();
  const todo = await makeTodo("Pay rent");
  const page = await account.open("/account");
  account.cookies.delete("kept_account");
  await tick(account, page, `todo-${todo.id}`);
  expect(await isCompleted(todo.id)).toBe(false);

  const mallory = await signedInBrowser(config, crypto.randomUUID());
  mallory.cookies.set("kept_sent", account.cookies.get("kept_sent") ?? { value: "", path: "/account" });
  expect(textOf(await mallory.open("/account/sent"))).not.toContain("Go on with");

  await signInAgain("new");
  const asked = await account.open("/account/sent");
  expect(textOf(asked)).toContain("Go on with: Done: Pay rent?");
  expect(await isCompleted(todo.id)).toBe(false);
  await account.submit(asked, "/account/tick", { done: "yes" });
  expect(await isCompleted(todo.id)).toBe(true);
});

test("another site plants nothing over a sign-in", async () => {
  const body = new URLSearchParams({ csrf: "x.y", webhook_url: "https://evil.example/" });
  const hook = `${config.baseUrl}/account/settings/webhook`;
  const send = (headers: Record<string, string>) =>
    fetch(hook, { method: "POST", body, headers, redirect: "manual" });
  for (const headers of [{ origin: "https://evil.example" }, {}])
    expect((await send(headers)).headers.get("set-cookie")).toBeNull();
  const planted = await send({ origin: new URL(config.baseUrl).origin });
  const kept = /kept_sent=([^;]+)/.exec(planted.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const { account } = await newPerson();
  account.cookies.set("kept_sent", { value: kept, path: "/account" });
  expect(textOf(await account.open("/account/sent"))).not.toContain("evil.example");
});

test("a form of an earlier session is shown again with what was typed, and a long text is not lost either", async () => {
  const { account, makeTodo, signInAgain } = await newPerson();
  const hook = "/account/settings/webhook";
  const page = await account.open("/account/settings");
  await signInAgain("new");
  const asked = await account.submit(page, hook, { webhook_url: "https://example.com/hook" });
  expect([asked.status, textOf(asked)]).toEqual([409, expect.stringContaining("https://example.com/hook")]);
  expect((await account.submit(asked, hook, {})).text).toContain("https://example.com/hook");

  account.cookies.delete("kept_account");
  const rent = await makeTodo("Pay rent");
  const action = `/account/todos/${rent.id}/delete`;
  const forms = [{ action, fields: page.forms.at(-1)?.fields ?? [] }];
  await account.submit({ ...page, forms }, action, {});
  await signInAgain("other");
  expect(textOf(await account.open("/account/sent"))).toContain("Go on with: Delete: Pay rent?");
  account.cookies.delete("kept_account");
  const long = { webhook_url: `https://example.com/${"long ".repeat(2_000)}` };
  const held = await account.submit(page, hook, long);
  expect(held.text).toContain(long.webhook_url);
  await signInAgain("third");
  const again = await account.submit(held, hook, {});
  expect([again.status, again.text]).toEqual([409, expect.stringContaining(long.webhook_url)]);
});

test("a tick that fails inside says so", async () => {
  const { account, makeTodo } = await newPerson();
  const { id } = await makeTodo("Tick of poison");
  await sql.unsafe(
    `create function refuse_tick() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$;
    create trigger refuse_tick before update on todos
    for each row when (new.title = 'Tick of poison') execute function refuse_tick()`,
  );
  const page = await tick(account, await account.open("/account"), `todo-${id}`);
  await sql`drop function refuse_tick cascade`;
  expect([page.status, textOf(page)]).toEqual([500, expect.stringContaining("That did not work")]);
});

test("odd ticks, notes and undos are told in words or ignored, and break nothing", async () => {
  const { account, makeHabit } = await newPerson();
  const habit = await makeHabit("Read");
  const page = await account.open("/account");
  const statuses: number[] = [];
  const own = { done: "yes", habit_id: String(habit.id) };
  for (const odd of [
    ...["x", "1e308", "-1"].map((habit_id) => ({ habit_id })),
    ...["0000-00-00", "2026-99-99", "\u0000_"].map((day) => ({ day })),
    ...["2026-99-99", "9999-12-31"].map((date) => ({ date })),
    { next: "\u0000#//x" },
    { from: "https://evil.example/" },
  ]) {
    const answer = await account.submit(page, "/account/tick", { ...own, ...odd });
    expect(new URL(answer.url).origin).toBe(config.baseUrl);
    statuses.push(answer.status);
  }
  const notes = ["late_habit-1_yes_2026-99-99", "late_x", "done_x_y", "told_constructor", "%00"];
  for (const note of [...notes, "late_todo-999_no_"])
    statuses.push((await account.open(`/account?tick=${note}`)).status);
  const undo = await tick(account, await account.open("/account"), `habit-${habit.id}`, { done: "no" });
  statuses.push(undo.status);
  for (const odd of [{ called_at: "yesterday" }, { request_id: "1" }])
    statuses.push((await account.submit(undo, "/account/tick/undo", odd)).status);
  statuses.push((await account.open("/account/connect?since=-1e400")).status);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});
