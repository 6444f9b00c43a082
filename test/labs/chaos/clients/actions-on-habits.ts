import type { Action } from "../history.ts";
import { type Client, perform } from "./client.ts";
import { forget, isLost, most, type OwnRows } from "./own-rows.ts";

/** Clients compete for the newest of the contested habits; now and then one makes another. */
export async function completeContested(client: Client): Promise<void> {
  const { shared, random, history } = client;
  const habit = shared.contests.at(-1);
  if (habit === undefined || random.chance(0.15)) {
    const name = `Contest ${crypto.randomUUID()}`;
    const told = await perform(client, { kind: "create habit", name });
    if (told.verdict !== "done" || told.resource.id === undefined) return;
    history.shared.habits.add(told.resource.id);
    shared.contests.push(told.resource.id);
    return;
  }
  const rivals = Array.from({ length: random.between(1, 4) }, () =>
    perform(client, { kind: "complete habit", habit }),
  );
  await Promise.all(rivals);
}

export async function createHabit(client: Client, own: OwnRows): Promise<void> {
  const told = await perform(client, { kind: "create habit", name: `Own ${crypto.randomUUID()}` });
  if (told.verdict === "done" && told.resource.id !== undefined) own.habits.push(told.resource.id);
  if (own.habits.length > most.habits) own.habits.shift();
}

export async function completeOrUndo(client: Client, own: OwnRows): Promise<void> {
  const kind = client.random.chance(0.6) ? "complete habit" : "undo habit";
  await onHabit(client, own, (habit) => ({ kind, habit }));
}

export async function readHabit(client: Client, own: OwnRows): Promise<void> {
  await onHabit(client, own, (habit) => ({ kind: "read habit", habit }));
}

async function onHabit(client: Client, own: OwnRows, actionOn: (habit: number) => Action): Promise<void> {
  const habit = client.random.pick(own.habits);
  const action = actionOn(habit);
  const told = await perform(client, action);
  if (isLost(told, action)) forget(own.habits, habit);
  while (own.habits.length < 1) await createHabit(client, own);
}

export async function changeCategory(client: Client, own: OwnRows): Promise<void> {
  const { random } = client;
  const category = own.categories.at(-1);
  if (category === undefined || own.categories.length < most.categories) {
    const told = await perform(client, { kind: "create category", name: `Made ${crypto.randomUUID()}` });
    if (told.verdict === "done" && told.resource.id !== undefined) own.categories.push(told.resource.id);
    return;
  }
  const action: Action = random.chance(0.4)
    ? { kind: "delete category", category }
    : { kind: "rename category", category, name: `Renamed ${crypto.randomUUID()}` };
  const told = await perform(client, action);
  if (isLost(told, action) || action.kind === "delete category") forget(own.categories, category);
}
