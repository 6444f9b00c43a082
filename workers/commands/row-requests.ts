import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import type { Need, UserNeed } from "../unit-of-work/load.ts";
import { ownRows, type State } from "../unit-of-work/state.ts";

/** All rows that a command wants loaded: its handler's, and its stored reply unless its id is new. */
export function needsOf(command: QueuedCommand, repeat: boolean): UserNeed[] {
  const own: Need[] = [...(handlerOf(command.name).needs?.(command.input as never) ?? [])];
  // Without a key the id is new, unless a job came twice; then the inbox refuses it and the next try looks.
  if (repeat || command.fingerprint !== null) own.push(...storedReply(command));
  return own.map((need) => ({ ...need, userId: command.userId }));
}

export const storedReply = ({ name, id, userId }: QueuedCommand): UserNeed[] =>
  handlerOf(name).repeatable ? [] : [{ table: "inbox", key: id, mode: "see", userId }];

/**
 * What the loaded rows of a command point at: their categories, and the successors of recurring todos. A todo that
 * recurs may get a successor in its category, which must stay until that is written.
 */
export function relatedNeeds(state: State, needs: readonly UserNeed[]): UserNeed[] {
  return needs.flatMap(({ table, userId, key }): UserNeed[] => {
    if (key === undefined) return [];
    if (table === "habits") {
      const row = ownRows(state.habits, userId).get(key);
      return row?.category_id == null
        ? []
        : [{ table: "categories", userId, key: row.category_id, mode: "see" }];
    }
    if (table !== "todos") return [];
    const row = ownRows(state.todos, userId).get(key);
    const mode = row?.recurrence == null ? "see" : "share";
    const successor = row?.next_todo_id;
    return [
      ...(row?.category_id == null
        ? []
        : [{ table: "categories", userId, key: row.category_id, mode } as const]),
      ...(successor == null
        ? []
        : (["todos", "reminders"] as const).map(
            (table) => ({ table, userId, key: successor, mode: "lock" }) as const,
          )),
    ];
  });
}

/** The tables of which a command may make a row, before its rows are known. */
export const madeBy = ({ name }: QueuedCommand): NumberedTable[] => {
  const { makes } = handlerOf(name);
  return makes === undefined ? [] : [makes];
};

/** One todo for each recurring one that a command might complete. */
export const successorsOf = (state: State, needs: readonly UserNeed[]): NumberedTable[] =>
  needs.flatMap(({ table, userId, key }) =>
    table === "todos" && key !== undefined && ownRows(state.todos, userId).get(key)?.recurrence != null
      ? (["todos"] as const)
      : [],
  );
