import { mostInDay } from "../../../../../shared/contracts/habit/fields.ts";
import { addDays, localDay, localTime } from "../../../../../shared/domain/day/day.ts";
import { listIn, numberIn, objectIn, objectsIn, type JsonFields as Task, textIn } from "./fields.ts";
import { type Finding, keyOf, left, type ReadingContext } from "./found.ts";
import { instantIn, listAsCategory, momentIn, todoOf } from "./tasks.ts";

type Tags = ReadonlyMap<string, ReturnType<typeof listAsCategory>>;
/** Until the start of day, Habitica counts to the day before. */
type Clock = ReadingContext & Readonly<{ dayStart: number }>;

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
    objectsIn(tags).flatMap(({ id, name }) =>
      textIn(name).trim() === "" ? [] : [[textIn(id), listAsCategory(textIn(name))] as const],
    ),
  );
  yield* names.values();
  const { dayStart, sleep } = objectIn(preferences);
  const clock = { ...context, dayStart: numberIn(dayStart) ?? 0 };
  for (const task of objectsIn(habits)) yield* readHabit(task, names, clock);
  for (const task of objectsIn(dailys))
    yield* readDaily(task, names, { ...clock, isResting: sleep === true });
  for (const task of objectsIn(todos)) yield* readTodo(task, names, context);
  for (const task of objectsIn(rewards)) yield left(textIn(task.text), "Kept has no rewards.");
}

const keyIn = ({ id, _id = id }: Task): string => keyOf("habitica", textIn(_id));

/** The first tag becomes the category; the description names all tags. */
function inWords(task: Task, names: Tags) {
  const tags = [...new Set(listIn(task.tags).map(textIn))].flatMap((id) => names.get(id)?.thing ?? []);
  const steps = objectsIn(task.checklist).map(
    ({ text, completed }) => `[${completed === true ? "x" : " "}] ${textIn(text)}`,
  );
  const all = tags.length > 1 ? [`Tags: ${tags.map(({ name }) => name).join(", ")}`] : [];
  const lines = [textIn(task.notes).trim(), ...steps, ...all];
  return { lines, tag: tags[0] };
}

const ofHabit = (task: Task, names: Tags) => {
  const { lines, tag } = inWords(task, names);
  const description = lines.filter((line) => line !== "").join("\n") || null;
  return { description, category: tag?.key ?? null };
};

const dayOf = (instant: string, { today, dayStart }: Clock): string =>
  localDay(Date.parse(instant), today.timeZone, dayStart);

type DoneDays = Map<string, Readonly<{ time: string | null; times: number }>>;

/**
 * The days of entries, each with its last time and its number of times; entries of earlier years count once.
 * @param isOnceADay for dailies: of two entries on a day, the first was made up for the day before
 */
function doneDaysOf(entries: readonly Task[], clock: Clock, isOnceADay = false): DoneDays {
  const days: DoneDays = new Map();
  for (const { date, scoredUp } of entries) {
    const time = instantIn(date);
    if (time === null) continue;
    const day = dayOf(time, clock);
    const [first, before] = [days.get(day), addDays(day, -1)];
    if (isOnceADay && first && !days.has(before)) days.set(before, first);
    const more = Math.max(1, Math.round(numberIn(scoredUp) ?? 1));
    days.set(day, { time, times: Math.min((first?.times ?? 0) + more, mostInDay) });
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
function* readHabit(task: Task, names: Tags, context: Clock): Generator<Finding> {
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
    thing: { key, name, type, frequency, created_at, ...measure, ...ofHabit(task, names) },
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

type DailyContext = Clock & Readonly<{ isResting: boolean }>;

/** Dailies ask for nothing while their owner rests in the inn. Habitica skips no single days, and notes no past rest. */
function* readDaily(task: Task, names: Tags, context: DailyContext): Generator<Finding> {
  const [key, name, rhythm] = [keyIn(task), textIn(task.text), rhythmOf(task)];
  if (!rhythm) return yield left(name, "Kept has no habits of such a rhythm; make it a todo that repeats.");
  const created_at = instantIn(task.createdAt);
  const start = instantIn(task.startDate);
  const first = start === null ? "" : dayOf(start, { ...context, dayStart: 0 });
  const isLater = first > context.today.date;
  const paused_from = context.isResting || isLater ? context.today.date : null;
  const paused_through = isLater && !context.isResting ? addDays(first, -1) : null;
  const [reminder, ...others] = remindersOf(task);
  if (others.length > 0) yield left(name, `Comes with the first of its ${1 + others.length} reminders.`);
  const remind_at =
    reminder === undefined ? null : localTime(Date.parse(reminder), context.today.timeZone).slice(11, 16);
  yield {
    kind: "habits",
    thing: {
      ...{ ...rhythm, key, name, created_at, paused_from, paused_through, remind_at },
      ...ofHabit(task, names),
    },
  };
  const days = doneDaysOf(withGains(objectsIn(task.history), "completed"), context, true);
  // Habitica adds the entry of the present day when it is over.
  if (task.completed === true) days.set(context.today.date, { time: null, times: 1 });
  yield* history(key, days);
}

const remindersOf = ({ reminders }: Task): string[] =>
  objectsIn(reminders).flatMap(({ time }) => instantIn(time) ?? []);

function* readTodo(task: Task, names: Tags, context: ReadingContext): Generator<Finding> {
  const { lines, tag } = inWords(task, names);
  // An instant is midnight of the day.
  const [due] = momentIn(textIn(task.date), context.today.timeZone);
  const [done, created] = [instantIn(task.dateCompleted), instantIn(task.createdAt)].map(
    (time) => time ?? undefined,
  );
  yield* todoOf(
    {
      ...{ key: keyIn(task), title: textIn(task.text), list: tag?.name, lines, due: due ?? undefined },
      ...{ reminders: remindersOf(task), isDone: task.completed === true, done, created },
    },
    context,
  );
}
