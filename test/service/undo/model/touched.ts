import { readImages } from "../../../../shared/domain/action/images.ts";
import type { Row } from "./inputs.ts";
import type { Moment, Rows } from "./world.ts";

/** Columns that follow from other rows, or from the time of a write. */
const following = [
  ...["updated_at", "changed_by", "written_by", "changed_xid", "user_id"],
  ...["former_category_id", "rings_at", "rang_on"],
];
const isOwn = (column: string): boolean => !following.includes(column);
/** A habit's history, which its completions and edits make together. */
const history = ["done_from", "done_days", "edits", "pauses"];
const derived = [
  ...["completions_count", "streak", "streak_alive_through", "longest_streak", "next_due", "recent_dates"],
  ...["recent_amounts", "neutral_dates", "moved_to"],
];

/** @returns the columns in which two states of a row differ, perhaps with its history */
export const differing = (one: Row, other: Row, withHistory = false): string[] =>
  Object.keys(one).filter(
    (column) =>
      isOwn(column) &&
      !derived.includes(column) &&
      (withHistory || !history.includes(column)) &&
      !Bun.deepEquals(one[column], other[column]),
  );

/** The touched columns by row; `*` if the row was made or removed. */
export type Touches = ReadonlyMap<string, ReadonlySet<string>>;

type Change = Pick<Moment, "before" | "after" | "actions">;
const known = new WeakMap<Change, Touches>();

export function touchesOf(changes: readonly Change[]): Touches {
  const touches = new Map<string, Set<string>>();
  for (const change of changes) {
    const own = known.get(change) ?? touchesOfOne(change);
    known.set(change, own);
    for (const [name, columns] of own) touches.set(name, (touches.get(name) ?? new Set()).union(columns));
  }
  return touches;
}

/** Two undone actions may cancel out in a row, so their images count as well as the rows. */
function touchesOfOne({ before, after, actions }: Change): Touches {
  const touches = new Map<string, Set<string>>();
  const touch = (name: string, columns: readonly string[]) => {
    const known = touches.get(name) ?? new Set();
    for (const column of columns) touches.set(name, known.add(column));
  };
  for (const [name, row] of before) {
    const now = after.get(name);
    if (now !== row) touch(name, now ? differing(row, now) : ["*"]);
  }
  for (const name of after.keys()) if (!before.has(name)) touch(name, ["*"]);
  for (const action of actions) {
    const [old, made] = [imagesIn(action.before), imagesIn(action.after)];
    for (const name of Object.keys({ ...old, ...made }))
      touch(name, old[name] && made[name] ? Object.keys(made[name]).filter(isOwn) : ["*"]);
  }
  return touches;
}

const imagesIn = (stored: unknown) => readImages(stored as string | null | undefined).images;

/** Columns that make sense only together. */
const groups = [
  ["is_completed", "completed_at", "completed_on", "next_todo_id"],
  ["recurrence", "recurrence_anchor", "due_date", "due_time"],
  ["frequency", "schedule", "grace_days"],
  ["remind_at", "wall_time", "status", "delivery_id"],
];
export const groupOf = (column: string): readonly string[] =>
  groups.find((group) => group.includes(column)) ?? [column];

export const isTouched = (touches: Touches, name: string, column?: string): boolean => {
  const columns = touches.get(name);
  if (!columns || columns.size === 0) return false;
  return column === undefined || columns.has("*") || groupOf(column).some((one) => columns.has(one));
};

/** Rows that belong to a row. */
export function cascaded(rows: Rows, name: string): string[] {
  const [table, id] = name.split("/");
  if (table === "todos") return [`reminders/${id}`];
  if (table === "habits")
    return [...rows.keys()].filter((other) => other.startsWith(`habit_completions/${id}/`));
  if (table !== "categories") return [];
  return [...rows].flatMap(([other, row]) => (String(row.category_id) === id ? [other] : []));
}
