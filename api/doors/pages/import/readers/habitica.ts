import { mostInDay } from "../../../../../shared/contracts/habit/fields.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { listIn, numberIn, objectIn, objectsIn, textIn, textOrNull } from "./fields.ts";
import { type Finding, keyOf, left, type ReadingContext } from "./found.ts";

type Task = Readonly<Record<string, unknown>>;
type Tags = ReadonlyMap<string, string>;

/** Many tasks may repeat one tag's name, so it is cut here; the check of all things cuts names further. */
const longestTag = 300;

/** True for Habitica's `userdata.json`. */
export const isHabitica = (value: unknown): boolean => {
  const { tasks } = objectIn(value);
  const { habits, dailys, todos } = objectIn(tasks);
  return [habits, dailys, todos].some(Array.isArray);
};

/** Reads habits, dailies and to-dos. A task's first tag becomes its category; rewards are left out. */
export function* readHabitica(value: unknown, context: ReadingContext): Generator<Finding> {
  const { tasks, tags, preferences } = objectIn(value);
  const { habits, dailys, todos, rewards } = objectIn(tasks);
  const names: Tags = new Map(
    objectsIn(tags).flatMap(({ id, name }) => {
      const text = textIn(name).trim().slice(0, longestTag);
      return text === "" ? [] : [[textIn(id), text] as const];
    }),
  );
  for (const [id, name] of names)
    yield { kind: "categories", thing: { key: keyOf("habitica tag", id), name } };
  for (const task of objectsIn(habits)) yield* readHabit(task, names, context);
  const isResting = objectIn(preferences).sleep === true;
  for (const task of objectsIn(dailys)) yield* readDaily(task, names, { ...context, isResting });
  for (const task of objectsIn(todos)) yield* readTodo(task, names, context);
  for (const task of objectsIn(rewards)) yield left(textIn(task.text), "Kept has no rewards.");
}

const keyIn = ({ id, _id = id }: Task): string => keyOf("habitica", textIn(_id));

/** The first tag becomes the category; the description names all tags. */
function inWords(task: Task, names: Tags): Readonly<{ description: string | null; category: string | null }> {
  const ids = [...new Set(listIn(task.tags).map(textIn))].filter((id) => names.has(id));
  const [first] = ids;
  const steps = objectsIn(task.checklist).map(
    ({ text, completed }) => `[${completed === true ? "x" : " "}] ${textIn(text)}`,
  );
  const tags = ids.length > 1 ? [`Tags: ${ids.map((id) => names.get(id)).join(", ")}`] : [];
  const lines = [textIn(task.notes).trim(), ...steps, ...tags].filter((line) => line !== "");
  return {
    description: lines.join("\n") || null,
    category: first === undefined ? null : keyOf("habitica tag", first),
  };
}

/** Reads a time of Habitica: RFC 3339 or milliseconds. */
function instantIn(value: unknown): string | null {
  const ms = numberIn(value) ?? Date.parse(textIn(value));
  const isKnown = ms >= 0 && ms < Date.UTC(9999);
  return isKnown ? new Date(ms).toISOString() : null;
}

const dayOf = (instant: string, { today }: ReadingContext): string =>
  localTime(Date.parse(instant), today.timeZone).slice(0, 10);

type DoneDays = Map<string, Readonly<{ time: string | null; times: number }>>;

/** The days of entries, each with its last time and its number of times; entries of earlier years count once. */
function doneDaysOf(entries: readonly Task[], context: ReadingContext): DoneDays {
  const days: DoneDays = new Map();
  for (const { date, scoredUp } of entries) {
    const time = instantIn(date);
    if (time === null) continue;
    const day = dayOf(time, context);
    const more = Math.max(1, Math.round(numberIn(scoredUp) ?? 1));
    days.set(day, { time, times: Math.min((days.get(day)?.times ?? 0) + more, mostInDay) });
  }
  return days;
}

function* history(habit: string, days: DoneDays, isCounted = false): Generator<Finding> {
  if (days.size === 0) return;
  const sums = isCounted ? [...days].map(([date, { times }]) => ({ date, amount: times, target: 1 })) : null;
  const times = [...days.values()].map(({ time }) => time);
  yield { kind: "histories", thing: { habit, dates: [...days.keys()], times, sums, notes: null } };
}

/** For a bad habit the file has only the days with a lapse, and nothing of the other days. */
function* readHabit(task: Task, names: Tags, context: ReadingContext): Generator<Finding> {
  const [key, name] = [keyIn(task), textIn(task.text)];
  const days = doneDaysOf(withGains(objectsIn(task.history), "scoredUp"), context);
  const isBad = task.up === false && task.down === true;
  const frequency = task.frequency === "weekly" || task.frequency === "monthly" ? "weekly" : "daily";
  const created_at = instantIn(task.createdAt);
  const type = isBad ? "bad" : "good";
  // Kept counts a habit that was done several times on a day; once is enough for the day.
  const isCounted = !isBad && [...days.values()].some(({ times }) => times > 1);
  const measure = isCounted ? { target: 1, unit: "times" } : {};
  yield {
    kind: "habits",
    thing: { key, name, type, frequency, created_at, ...measure, ...inWords(task, names) },
  };
  if (isBad)
    yield left(
      name,
      "Comes without its days, because Habitica notes only those on which it was not avoided.",
    );
  else yield* history(key, days, isCounted);
}

/** Entries of earlier years have only the task's value, which rises with each completion. */
function withGains(entries: readonly Task[], field: "scoredUp" | "completed"): readonly Task[] {
  return entries.filter((entry, index) => {
    const value = entry[field];
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return value > 0;
    return (numberIn(entry.value) ?? 0) > (numberIn(entries[index - 1]?.value) ?? 0);
  });
}

const weekdayNames = ["m", "t", "w", "th", "f", "s", "su"];

function rhythmOf(task: Task) {
  const every = numberIn(task.everyX) ?? 1;
  if (task.frequency === "daily")
    return every === 1
      ? { frequency: "daily" as const }
      : { frequency: "custom" as const, schedule: { every_days: every } };
  const repeat = objectIn(task.repeat);
  const weekdays = weekdayNames.flatMap((name, index) => (repeat[name] === true ? [index + 1] : []));
  const isWeekly = (task.frequency ?? "weekly") === "weekly" && every === 1 && weekdays.length > 0;
  if (!isWeekly) return undefined;
  return weekdays.length === 7
    ? { frequency: "daily" as const }
    : { frequency: "custom" as const, schedule: { weekdays } };
}

type DailyContext = ReadingContext & Readonly<{ isResting: boolean }>;

/** Dailies ask for nothing while their owner rests in the inn. Habitica skips no single days, and notes no past rest. */
function* readDaily(task: Task, names: Tags, context: DailyContext): Generator<Finding> {
  const [key, name, rhythm] = [keyIn(task), textIn(task.text), rhythmOf(task)];
  if (!rhythm) return yield left(name, "Kept has no habits of such a rhythm; make it a todo that repeats.");
  const created_at = instantIn(task.createdAt);
  const paused_from = context.isResting ? context.today.date : null;
  yield {
    kind: "habits",
    thing: { ...rhythm, key, name, created_at, paused_from, ...inWords(task, names) },
  };
  const days = doneDaysOf(withGains(objectsIn(task.history), "completed"), context);
  // Habitica adds the entry of the present day when it is over.
  if (task.completed === true) days.set(context.today.date, { time: null, times: 1 });
  yield* history(key, days);
}

function* readTodo(task: Task, names: Tags, context: ReadingContext): Generator<Finding> {
  const date = textIn(task.date);
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(date) ? null : instantIn(date || undefined);
  const due_date = instant === null ? (textOrNull(date)?.slice(0, 10) ?? null) : dayOf(instant, context);
  const is_completed = task.completed === true;
  const completed_at = is_completed ? instantIn(task.dateCompleted) : null;
  const completed_on = completed_at && dayOf(completed_at, context);
  const [key, created_at] = [keyIn(task), instantIn(task.createdAt)];
  const when = { due_date, is_completed, completed_at, completed_on, created_at };
  yield {
    kind: "todos",
    thing: { ...when, key, title: textIn(task.text), ...inWords(task, names) },
  };
}
