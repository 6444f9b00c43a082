import type { Action, Conclusion } from "../history.ts";
import { type Client, type How, perform } from "./client.ts";

/** Rows that only one client writes to, which therefore knows their content. */
type OwnRows = { todos: number[]; habits: number[]; categories: number[]; hurried?: number | undefined };

export const noRows = (): OwnRows => ({ todos: [], habits: [], categories: [] });

/** Clients stop writing to rows beyond these numbers. */
const most = { todos: 6, habits: 3, categories: 3 };

type Run = (client: Client, own: OwnRows) => Promise<unknown>;

const unique = (word: string): string => `${word} ${crypto.randomUUID()}`;
const idIn = (told: Conclusion): number | undefined =>
  told.verdict === "done" ? told.resource.id : undefined;

async function make(client: Client, own: OwnRows, kind: keyof typeof most, action: Action, how?: How) {
  const id = idIn(await perform(client, action, how));
  if (id !== undefined) own[kind].push(id);
  if (own[kind].length > most[kind]) own[kind].shift();
}

function forget(rows: number[], row: number): void {
  const index = rows.indexOf(row);
  if (index >= 0) rows.splice(index, 1);
}

/**
 * An unanswered write may be carried out at any time, because a frozen door does not know that its caller gave up.
 * Later operations have no order then, so the row is left alone from here on.
 */
async function act(client: Client, rows: number[], row: number, action: Action, how?: How) {
  const { verdict } = await perform(client, action, how);
  if (verdict === "unanswered" && !action.kind.startsWith("read")) forget(rows, row);
  return verdict;
}

const onTodo =
  (actionOn: (todo: number, client: Client) => Action): Run =>
  (client, { todos }) => {
    const todo = client.random.pick(todos);
    return act(client, todos, todo, actionOn(todo, client), { hedged: client.random.chance(0.1) });
  };

const onHabit =
  (actionOn: (habit: number, client: Client) => Action): Run =>
  (client, { habits }) => {
    const habit = client.random.pick(habits);
    return act(client, habits, habit, actionOn(habit, client));
  };

const createTodo: Run = (client, own) => {
  const id = crypto.randomUUID();
  const category = client.random.chance(0.2) ? own.categories.at(-1) : undefined;
  const action: Action = {
    kind: "create todo",
    title: `Made ${id}`,
    description: `made ${id}`,
    ...(category !== undefined && { category }),
  };
  return make(client, own, "todos", action, { hedged: client.random.chance(0.1) });
};

const createHabit: Run = (client, own) =>
  make(client, own, "habits", { kind: "create habit", name: unique("Own") });

/** Afterwards the client reads the deleted todo, or writes to it. */
const deleteTodo: Run = async (client, { todos }) => {
  const todo = client.random.pick(todos);
  forget(todos, todo);
  const { verdict } = await perform(client, { kind: "delete todo", todo });
  if (verdict === "unanswered") return;
  const after: Action = client.random.chance(0.5)
    ? { kind: "read todo", todo }
    : { kind: "rename todo", todo, title: unique("Too late") };
  await perform(client, after);
};

const toggleShared: Run = (client) => {
  const { shared, random } = client;
  const keyed = random.chance(0.6);
  const todo = keyed ? shared.keyedTodo : shared.looseTodo;
  return perform(client, { kind: "toggle todo", todo }, { keyed, hedged: random.chance(0.1) });
};

/** A unique context identifies the call's row in the log, and matches no todo. */
const listTodos: Run = (client) =>
  perform(client, { kind: "list todos", context: crypto.randomUUID() }, { via: "mcp" });

/** The worker refuses this, because only it knows that the category does not exist. */
const refusedChange: Run = (client, { todos }) => {
  const category = Number.MAX_SAFE_INTEGER;
  const title = unique("Refused");
  if (client.random.chance(0.5))
    return perform(client, { kind: "create todo", title, description: title, category });
  const todo = client.random.pick(todos);
  return act(client, todos, todo, { kind: "rename todo", todo, title, category });
};

/**
 * Renames a todo repeatedly through one door without awaiting the answers. Only the action log has the order in
 * which the door accepted these requests, so the answers tell nothing about the todo.
 */
const hurry: Run = async (client, own) => {
  const { random, history } = client;
  if (own.hurried === undefined) {
    const mark = unique("hurried");
    const made = { kind: "create todo", title: mark, description: mark } as const;
    own.hurried = idIn(await perform(client, made, { keyed: true }));
    if (own.hurried === undefined) return;
    history.shared.todos.add(own.hurried);
  }
  const [todo, door, burst] = [own.hurried, random.between(0, 1), crypto.randomUUID()];
  const renames: Promise<unknown>[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const title = `Hurried ${burst} ${turn}`;
    const action: Action = { kind: "rename todo", todo, title, grouped: random.chance(0.3) };
    renames.push(perform(client, action, { via: "rest", keyed: false, door }));
    await Bun.sleep(random.between(2, 12));
  }
  await Promise.all(renames);
};

/** Clients compete for the newest of the contested habits; now and then one makes another. */
const completeContested: Run = async (client) => {
  const { shared, random, history } = client;
  const habit = shared.contests.at(-1);
  if (habit === undefined || random.chance(0.15)) {
    const id = idIn(await perform(client, { kind: "create habit", name: unique("Contest") }));
    if (id === undefined) return;
    history.shared.habits.add(id);
    shared.contests.push(id);
    return;
  }
  const rivals = Array.from({ length: random.between(1, 4) }, () =>
    perform(client, { kind: "complete habit", habit }),
  );
  await Promise.all(rivals);
};

const changeCategory: Run = async (client, own) => {
  const category = own.categories.at(-1);
  if (category === undefined || own.categories.length < most.categories)
    return make(client, own, "categories", { kind: "create category", name: unique("Made") });
  if (!client.random.chance(0.4))
    return act(client, own.categories, category, {
      ...{ kind: "rename category", category, name: unique("Renamed") },
    });
  forget(own.categories, category);
  return perform(client, { kind: "delete category", category });
};

/** The operations of clients, each with its share. */
const shares: readonly (readonly [run: Run, share: number])[] = [
  [createTodo, 24],
  [onTodo((todo) => ({ kind: "rename todo", todo, title: unique("Renamed") })), 16],
  [hurry, 4],
  [
    onTodo((todo, { random }) => ({
      ...{ kind: "toggle todo", todo },
      ...(random.chance(0.4) && { wanted: random.chance(0.5) }),
    })),
    14,
  ],
  [toggleShared, 10],
  [onTodo((todo) => ({ kind: "read todo", todo })), 7],
  [deleteTodo, 4],
  [listTodos, 5],
  [completeContested, 8],
  [
    onHabit((habit, { random }) => ({ kind: random.chance(0.6) ? "complete habit" : "undo habit", habit })),
    4,
  ],
  [onHabit((habit) => ({ kind: "read habit", habit })), 2],
  [createHabit, 2],
  [changeCategory, 4],
  [refusedChange, 2],
];

const lots = shares.flatMap(([run, share]) => Array.from({ length: share }, () => run));

/** Runs a random action. */
export async function actAtRandom(client: Client, own: OwnRows): Promise<void> {
  await client.random.pick(lots)(client, own);
  await prepare(client, own);
}

/** Gives a client the todos and the habit that its actions need. */
export async function prepare(client: Client, own: OwnRows): Promise<void> {
  while (own.todos.length < 2) await createTodo(client, own);
  while (own.habits.length < 1) await createHabit(client, own);
}
