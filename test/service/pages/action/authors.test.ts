import { expect, test } from "bun:test";
import { type Browser, createBrowser, type Page } from "../../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../../support/identity/support.ts";
import { callTool, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { stack, identity } = site;

/** A new person in a browser without scripts, with tokens of two apps. */
async function newPerson() {
  const provider = await signedUp(identity.config);
  const account = createBrowser(stack.config.baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  return {
    account,
    bot: await tokenByForm(provider, "Todo Bot"),
    claude: await tokenByForm(provider, "Claude"),
  };
}

const rest = async (token: string, method: string, path: string, body?: object) =>
  (await stack.rest(method, path, { token, ...(body && { body }) })).body;

const textOf = ({ text }: Page): string => text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
const cards = ({ text }: Page): string[] => text.split('<li class="card"').slice(1);

function press(browser: Browser, page: Page, text: string): Promise<Page> {
  const card = cards(page).find((one) => one.includes(text)) ?? "";
  const value = (name: string) =>
    new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1] ?? `no ${name} at ${text}`;
  const answers = { request_id: value("request_id"), called_at: value("called_at") };
  return browser.submit(page, "/account/actions/undo", answers);
}

test("the pages of a todo, habit and category tell who made it and who changed it last", async () => {
  const { account, bot, claude } = await newPerson();
  const todo = await rest(bot, "POST", "/todos", { title: "Pay rent" });
  const habit = await rest(bot, "POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const category = await rest(bot, "POST", "/categories", { name: "Home" });
  await rest(claude, "PATCH", `/todos/${todo.id}`, { due_date: "2030-01-01" });
  await rest(claude, "POST", `/habits/${habit.id}/complete`);
  for (const [path, changer] of [
    [`/account/todos/${todo.id}`, "Claude"],
    [`/account/habits/${habit.id}`, "Claude"],
    [`/account/habits/${habit.id}/edit`, "Claude"],
    [`/account/categories/${category.id}`, "Todo Bot"],
  ])
    expect(textOf(await account.open(path ?? ""))).toContain(`Made by Todo Bot, last changed by ${changer}.`);
});

test("what the person writes on a page is the person's, and taking that back makes it the app's again", async () => {
  const { account, bot, claude } = await newPerson();
  const { id } = await rest(bot, "POST", "/todos", { title: "Pay rent" });
  const writer = async () => (await rest(claude, "GET", `/todos/${id}`)).written_by;
  expect(await writer()).toBe("Todo Bot");
  const path = `/account/todos/${id}`;
  const saved = await account.submit(await account.open(path), path, { title: "Pay the rent" });
  expect(textOf(await account.open(path))).toContain("Made by Todo Bot, last changed by you.");
  expect([saved.status, await writer()]).toEqual([200, null]);
  await press(account, await account.open("/account/actions"), "Pay the rent");
  expect(await rest(claude, "GET", `/todos/${id}`)).toMatchObject({
    title: "Pay rent",
    written_by: "Todo Bot",
  });
});

test("what an undo brings back has the authors that it had, also where its words were changed since", async () => {
  const { account, bot, claude } = await newPerson();
  const { id } = await rest(bot, "POST", "/todos", { title: "Pay rent" });
  await rest(bot, "PATCH", `/todos/${id}`, { title: "Pay it" });
  await rest(claude, "PATCH", `/todos/${id}`, { description: "By the first" });
  await press(account, await account.open("/account/actions"), "Pay rent");
  expect(await rest(bot, "GET", `/todos/${id}`)).toMatchObject({ title: "Pay rent", written_by: "Claude" });
  await callTool(site, claude, "delete-todo", { todo_id: id });
  await press(account, await account.open("/account/actions"), "Deleted the todo");
  expect(await rest(bot, "GET", `/todos/${id}`)).toMatchObject({ title: "Pay rent", written_by: "Claude" });
  expect(textOf(await account.open(`/account/todos/${id}`))).toContain(
    "Made by Todo Bot, last changed by you.",
  );
});

test("the history of a thing has all that was done to it, together with others as well, and nothing else", async () => {
  const { account, bot } = await newPerson();
  const { id } = await rest(bot, "POST", "/todos", { title: "Bins", recurrence: "FREQ=DAILY" });
  const other = await rest(bot, "POST", "/todos", { title: "Buy bins" });
  await callTool(site, bot, "update-todo", { todo_ids: [id, other.id], context: "home" });
  const { next_todo_id } = await rest(bot, "POST", `/todos/${id}/toggle`);
  const history = async (thing: string) => cards(await account.open(`/account/actions?thing=${thing}`));
  expect(await history(`todo/${id}`)).toHaveLength(3);
  expect(await history(`todo/${other.id}`)).toHaveLength(2);
  expect(await history(`todo/${next_todo_id}`)).toHaveLength(1);
});
