import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { callsOf, cardsOf, newPlainPerson, textOf } from "../../../support/pages/plain.ts";

const stack = await useStack();

/** A new person in a browser without scripts, with two apps. */
async function newPerson() {
  const { account, newToken, ...bot } = await newPlainPerson(stack, "Todo Bot");
  return {
    account,
    bot,
    claude: callsOf(stack, await newToken("Claude")),
    /** Presses the undo button of the newest action with this text. */
    async takeBack(text: string) {
      const page = await account.open("/account/actions");
      const card = cardsOf(page).find((one) => one.includes(text)) ?? "";
      const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1] ?? text;
      const key = { request_id: value("request_id"), called_at: value("called_at") };
      return account.submit(page, "/account/actions/undo", key);
    },
  };
}

test("the pages of a todo, habit and category tell who made it and who changed it last", async () => {
  const { account, bot, claude } = await newPerson();
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
  const { account, bot, claude, takeBack } = await newPerson();
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
  const { account, bot, claude, takeBack } = await newPerson();
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
  const { account, bot } = await newPerson();
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
