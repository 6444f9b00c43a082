import type { QueuedCommand } from "../shared/queue/envelope.ts";
import { handlerOf } from "./handlers/index.ts";
import type { Need, UserNeed } from "./unit-of-work/load.ts";
import { ownRows, type State } from "./unit-of-work/state.ts";

/** All rows that a command wants loaded: its handler's, and its stored reply. */
export function needsOf(command: QueuedCommand, firstTry: boolean): UserNeed[] {
  const { userId } = command;
  const { needs, repeatable } = handlerOf(command.name);
  const own: Need[] = [...(needs?.(command.input as never) ?? [])];
  // Without a key the id is new, unless a job came twice; then the inbox refuses it and the next try looks.
  const isNew = firstTry && command.fingerprint === null;
  if (!repeatable && !isNew) own.push({ table: "inbox", key: command.id, mode: "see" });
  return own.map((need) => ({ ...need, userId }));
}

/** The rows for which a command steps aside while another transaction holds them. */
export const lockedRows = (command: QueuedCommand): UserNeed[] =>
  needsOf(command, true).filter(({ mode }) => mode === "lock");

/** What the loaded rows point at: their categories, and the successors of recurring todos. */
export function relatedNeeds(state: State): UserNeed[] {
  const rowsOf = [...state.habits.entries.values(), ...state.todos.entries.values()];
  const categories = rowsOf.flatMap(({ row }): UserNeed[] =>
    row?.category_id == null || isLoaded(state, row.user_id, row.category_id)
      ? []
      : [{ table: "categories", userId: row.user_id, key: row.category_id, mode: "see" }],
  );
  const successors = [...state.todos.entries.values()].flatMap(({ row }): UserNeed[] =>
    row?.next_todo_id == null
      ? []
      : [{ table: "todos", userId: row.user_id, key: row.next_todo_id, mode: "wait" }],
  );
  return [...categories, ...successors];
}

const isLoaded = (state: State, userId: string, categoryId: number): boolean =>
  ownRows(state.categories, userId).get(categoryId) !== undefined;
