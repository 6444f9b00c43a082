import type { Conflict } from "../../../../workers/handlers/action/undo/changed-row.ts";
import { type Outcome, parentOf, strangersIn, withLeft } from "./restored.ts";
import { cascaded, groupOf, isTouched, type Touches, touchesOf } from "./touched.ts";
import type { Run } from "./undo-faults.ts";
import { type History, isChange, keyOf, type Rows } from "./world.ts";

type Moment = History[number];

/** Every conflict has a cause by somebody else, and every change by somebody else is named. */
export function conflictFaults(outcome: Outcome): string[] {
  const strangers = strangersIn(outcome);
  return [...outcome.run.moments].flatMap((moment) => {
    const later = strangers.filter((other) => other.now > moment.now);
    const since = withLeft(touchesOf(later), later);
    const conflicts = conflictsOf(outcome, moment);
    return [
      ...conflicts
        .filter(({ row, fields, why }) => {
          const made = row === null ? undefined : moment.after.get(row);
          const isTwin = (field: string) => hasTwin(outcome.run, moment, `${row}`, field, made?.[field]);
          return row !== null && !fields.some(isTwin) && !hasCause(outcome, since, row, { row, fields, why });
        })
        .map((conflict) => `nobody caused ${JSON.stringify(conflict)}`),
      ...unnamed(outcome, moment, strangers, conflicts),
    ];
  });
}

/** An earlier change of the run with the same outcome may have been undone first: values do not show which it was. */
const hasTwin = ({ moments }: Run, moment: Moment, name: string, column: string, value: unknown): boolean =>
  [...moments].some(
    (other) =>
      other.now < moment.now &&
      isTouched(touchesOf([other]), name, column) &&
      Bun.deepEquals(other.after.get(name)?.[column], value),
  );

function conflictsOf({ ends }: Outcome, { actions }: Moment): Conflict[] {
  const ids = actions.map((row) => keyOf(row).request_id);
  return ends.flatMap(({ request_id, conflicts }) =>
    ids.includes(request_id) ? conflicts.filter(({ why }) => why !== "taken_back") : [],
  );
}

/** Somebody else changed the row or a row that belongs to it since, or the row stays because of another conflict. */
function hasCause(
  { before, after, ends }: Outcome,
  since: Touches,
  row: string,
  conflict: Conflict,
): boolean {
  const { why, fields } = conflict;
  if (why === "category_gone")
    return [...since.keys()].some((name) => name.startsWith("categories/") && !after.has(name));
  if (why === "in_use") return cascaded(after, row).length > 0;
  const isElsewhere = ends.some(({ conflicts }) =>
    conflicts.some((other) => other.why !== why && other.row !== null && isNear(row, other.row)),
  );
  if (isElsewhere || (why === "deleted_since" && !after.has(row))) return true;
  const isChanged = (name: string) =>
    fields.length === 0 ? isTouched(since, name) : fields.some((field) => isTouched(since, name, field));
  return (
    isChanged(row) ||
    isTouched(since, parentOf(row)) ||
    belongings([before, after], row).some((name) => isTouched(since, name)) ||
    (fields.includes("next_todo_id") &&
      successors([before, after], row).some((next) => isTouched(since, next)))
  );
}

const belongings = (rows: readonly Rows[], row: string): string[] =>
  rows.flatMap((one) => cascaded(one, row));

/** A successor that somebody changed stays, and its todo keeps leading to it. */
const successors = (rows: readonly Rows[], row: string): string[] =>
  rows
    .map((one) => `todos/${one.get(row)?.next_todo_id}`)
    .flatMap((next) => [next, ...belongings(rows, next)]);

/** Rows of the same todo or habit. */
const isNear = (one: string, other: string): boolean =>
  one === other || parentOf(one) === other || parentOf(other) === one || parentOf(one) === parentOf(other);

/** A field is named if its value is neither that of the undone actions nor one that nobody else set. */
function unnamed(
  { run, before }: Outcome,
  moment: Moment,
  strangers: readonly Moment[],
  conflicts: readonly Conflict[],
): string[] {
  // Somebody may have undone an earlier action of them before.
  const ids = run.actions.map(({ request_id }) => request_id);
  if (!moment.actions.filter(isChange).every((row) => ids.includes(keyOf(row).request_id))) return [];
  const others = [...run.moments].filter((other) => other.now > moment.now);
  const changed = touchesOf([moment]);
  const later = touchesOf(others);
  const since = touchesOf(strangers.filter((other) => other.now > moment.now));
  const isNamed = (name: string, column: string) =>
    conflicts.some(({ row, fields }) => {
      const hasField = fields.some((field) => groupOf(column).includes(field));
      return row === name && (fields.length === 0 || hasField);
    });
  return [...changed].flatMap(([name, columns]) => {
    const [made, now] = [moment.after.get(name), before.get(name)];
    if (!made || !now || columns.has("*") || isTouched(later, name)) return [];
    // Members of a deleted category that moved to another one stay there, and are not named.
    const left = moment.before.get(name)?.category_id;
    // A deleted category left its members in none, from which they return to the one before.
    const isGone = made.category_id != null && !before.has(`categories/${made.category_id}`);
    const hasLost = isGone || (left != null && !moment.after.has(`categories/${left}`));
    // A reminder's status follows its todo and the clock, and its instant the zone.
    const follows = name.startsWith("reminders")
      ? ["status", "delivery_id", ...(made.wall_time ? ["remind_at"] : [])]
      : [];
    // An open todo may lead to a successor that stayed when its completion was undone: that is no change of it.
    const isOpen = made.is_completed === false && now.is_completed === false;
    return [...columns]
      .filter((column) => !hasTwin(run, moment, name, column, now[column]))
      .filter((column) => !follows.includes(column) && !(column === "category_id" && hasLost))
      .filter((column) => !(column === "next_todo_id" && isOpen))
      .filter((column) => since.get(name)?.has(column) && !Bun.deepEquals(made[column], now[column]))
      .filter((column) => !isNamed(name, column))
      .map((column) => `${name}.${column} was changed by somebody else, and is not named`);
  });
}
