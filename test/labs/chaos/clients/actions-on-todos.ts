import type { Action } from "../history.ts";
import { type Client, perform } from "./client.ts";
import { forget, isLost, most, type OwnRows } from "./own-rows.ts";

export async function createTodo(client: Client, own: OwnRows): Promise<void> {
  const { random } = client;
  const id = crypto.randomUUID();
  const category = random.chance(0.2) ? own.categories.at(-1) : undefined;
  const action: Action = {
    kind: "create todo",
    title: `Made ${id}`,
    description: `made ${id}`,
    ...(category !== undefined && { category }),
  };
  const told = await perform(client, action, { hedged: random.chance(0.1) });
  if (told.verdict === "done" && told.resource.id !== undefined) own.todos.push(told.resource.id);
  if (own.todos.length > most.todos) own.todos.shift();
}

export async function renameTodo(client: Client, own: OwnRows): Promise<void> {
  await onTodo(client, own, (todo) => ({
    kind: "rename todo",
    todo,
    title: `Renamed ${crypto.randomUUID()}`,
  }));
}

export async function toggleOwn(client: Client, own: OwnRows): Promise<void> {
  const { random } = client;
  await onTodo(client, own, (todo) => ({
    kind: "toggle todo",
    todo,
    ...(random.chance(0.4) && { wanted: random.chance(0.5) }),
  }));
}

export async function readTodo(client: Client, own: OwnRows): Promise<void> {
  await onTodo(client, own, (todo) => ({ kind: "read todo", todo }));
}

/** Afterwards the client reads the deleted todo, or writes to it. */
export async function deleteTodo(client: Client, own: OwnRows): Promise<void> {
  const { random } = client;
  const todo = random.pick(own.todos);
  const told = await perform(client, { kind: "delete todo", todo });
  if (told.verdict === "unanswered") return forget(own.todos, todo);
  const after: Action = random.chance(0.5)
    ? { kind: "read todo", todo }
    : { kind: "rename todo", todo, title: `Too late ${crypto.randomUUID()}` };
  await perform(client, after);
  forget(own.todos, todo);
}

async function onTodo(client: Client, own: OwnRows, actionOn: (todo: number) => Action): Promise<void> {
  const todo = client.random.pick(own.todos);
  const action = actionOn(todo);
  const told = await perform(client, action, { hedged: client.random.chance(0.1) });
  if (isLost(told, action)) forget(own.todos, todo);
  while (own.todos.length < 2) await createTodo(client, own);
}

export async function toggleShared(client: Client): Promise<void> {
  const { shared, random } = client;
  const keyed = random.chance(0.6);
  const todo = keyed ? shared.keyedTodo : shared.looseTodo;
  await perform(client, { kind: "toggle todo", todo }, { keyed, hedged: random.chance(0.1) });
}

/** A unique context identifies the call's row in the log, and matches no todo. */
export async function listTodos(client: Client): Promise<void> {
  await perform(client, { kind: "list todos", context: crypto.randomUUID() }, { via: "mcp" });
}

/** The worker refuses this, because only it knows that the category does not exist. */
export async function refusedChange(client: Client, own: OwnRows): Promise<void> {
  const id = crypto.randomUUID();
  const category = Number.MAX_SAFE_INTEGER;
  const action: Action = client.random.chance(0.5)
    ? { kind: "create todo", title: `Refused ${id}`, description: `made ${id}`, category }
    : { kind: "rename todo", todo: client.random.pick(own.todos), title: `Refused ${id}`, category };
  const told = await perform(client, action);
  if (action.kind === "rename todo" && isLost(told, action)) forget(own.todos, action.todo);
}

const hurriedAtOnce = 8;

/**
 * Renames a todo repeatedly through one door without awaiting the answers. Only the action log has the order in
 * which the door accepted these requests, so the answers tell nothing about the todo.
 */
export async function hurry(client: Client, own: OwnRows): Promise<void> {
  const { random } = client;
  own.hurried ??= await createHurried(client);
  if (own.hurried === undefined) return;
  const [todo, door, burst] = [own.hurried, random.between(0, 1), crypto.randomUUID()];
  const renames: Promise<unknown>[] = [];
  for (let turn = 0; turn < hurriedAtOnce; turn++) {
    const title = `Hurried ${burst} ${turn}`;
    const action: Action = { kind: "rename todo", todo, title, grouped: random.chance(0.3) };
    renames.push(perform(client, action, { via: "rest", keyed: false, door }));
    await Bun.sleep(random.between(2, 12));
  }
  await Promise.all(renames);
}

async function createHurried(client: Client): Promise<number | undefined> {
  const mark = `hurried ${crypto.randomUUID()}`;
  const told = await perform(
    client,
    { kind: "create todo", title: mark, description: mark },
    { keyed: true },
  );
  const id = told.verdict === "done" ? told.resource.id : undefined;
  if (id !== undefined) client.history.shared.todos.add(id);
  return id;
}
