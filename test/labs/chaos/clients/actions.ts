import {
  changeCategory,
  completeContested,
  completeOrUndo,
  createHabit,
  readHabit,
} from "./actions-on-habits.ts";
import {
  createTodo,
  deleteTodo,
  hurry,
  listTodos,
  readTodo,
  refusedChange,
  renameTodo,
  toggleOwn,
  toggleShared,
} from "./actions-on-todos.ts";
import type { Client } from "./client.ts";
import type { OwnRows } from "./own-rows.ts";

type RunAction = (client: Client, own: OwnRows) => Promise<unknown>;

/** The operations of clients, each with its share. */
const actions: readonly (readonly [run: RunAction, share: number])[] = [
  [createTodo, 24],
  [renameTodo, 16],
  [hurry, 4],
  [toggleOwn, 14],
  [toggleShared, 10],
  [readTodo, 7],
  [deleteTodo, 4],
  [listTodos, 5],
  [completeContested, 8],
  [completeOrUndo, 4],
  [readHabit, 2],
  [createHabit, 2],
  [changeCategory, 4],
  [refusedChange, 2],
];

const lots = actions.flatMap(([run, share]) => Array.from({ length: share }, () => run));

/** Runs a random action. */
export async function act(client: Client, own: OwnRows): Promise<void> {
  await client.random.pick(lots)(client, own);
}

/** Gives a client the todos and the habit that its actions need. */
export async function prepare(client: Client, own: OwnRows): Promise<void> {
  while (own.todos.length < 2) await createTodo(client, own);
  while (own.habits.length < 1) await createHabit(client, own);
}
