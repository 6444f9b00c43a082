import { sync } from "node-ical";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { capitalized, countInWords } from "../../kit/words.ts";
import { type JsonFields, listIn, objectIn, objectsIn, textIn } from "./fields.ts";
import { createKeys, type Finding, left, type ReadingContext } from "./found.ts";
import { reminderFrom, todoOf } from "./tasks.ts";

export const isCalendar = (text: string): boolean => /^\s*BEGIN:VCALENDAR/i.test(text);

/** Reads the tasks (VTODO) of an iCalendar file. */
export function* readCalendar(text: string, context: ReadingContext): Generator<Finding> {
  const all = parts(text);
  if (!all || !/END:VCALENDAR\s*$/i.test(text))
    return yield left("", "This calendar is damaged, or not whole.");
  const ofType = (type: string) => all.filter((part) => part.type === type);
  const list = textOf(ofType("VCALENDAR")[0]?.["WR-CALNAME"]);
  const todos = ofType("VTODO");
  const titles = new Map(todos.map(({ uid, summary }) => [textIn(uid), textOf(summary)]));
  const keys = createKeys("calendar");
  for (const todo of todos) {
    const parent = titles.get(textOf(todo["related-to"]));
    const key = keys(textIn(todo.uid) || textOf(todo.summary));
    yield* readTodo(todo, { key, parent, list }, context);
  }
  const events = ofType("VEVENT").length;
  if (events > 0) yield left("", `Stays out, because Kept has no events: ${countInWords(events, "event")}.`);
}

/** The library throws plain errors for malformed values. */
function parts(text: string): JsonFields[] | undefined {
  try {
    return Object.values(sync.parseICS(text)).map(objectIn);
  } catch {
    return undefined;
  }
}

/** A value with parameters is an object. */
const textOf = (value: unknown): string => textIn(value) || textIn(objectIn(value).val);

/** A date, an instant, or a time on any clock, which the library takes for this process's. */
function timeOf(value: unknown): string | undefined {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return undefined;
  const { tz, dateOnly } = objectIn(value);
  const here = localTime(value.getTime(), Temporal.Now.timeZoneId());
  return dateOnly === true ? here.slice(0, 10) : tz === undefined ? here : value.toISOString();
}

function* readTodo(
  todo: JsonFields,
  { key, parent, list }: Readonly<{ key: string; parent: string | undefined; list: string }>,
  context: ReadingContext,
): Generator<Finding> {
  const title = textOf(todo.summary) || "Untitled";
  if (todo.recurrences || todo.exdate) yield left(title, "Comes without the changed days of its series.");
  const [category = list, ...labels] = listIn(todo.categories).map(textIn);
  const due = timeOf(todo.due) ?? timeOf(todo.start);
  const priority = Number(todo.priority);
  const isCancelled = todo.status === "CANCELLED";
  if (isCancelled) yield left(title, "It is cancelled there, and comes as a todo that is open.");
  const told = ["location", "url", "attach", ...(isCancelled ? ["status"] : [])];
  const lines = told.flatMap((name) =>
    [todo[name]]
      .flat()
      .map(textOf)
      .filter(Boolean)
      .map((text) => `${capitalized(name)}: ${text.slice(0, 500)}`),
  );
  yield* todoOf(
    {
      ...{ key, title, parent, labels, lines, due, list: category, notes: textOf(todo.description) },
      reminders: objectsIn(todo.alarms).map(({ trigger }) => reminderOf(textOf(trigger), due, context)),
      start: timeOf(todo.start),
      rule: todo.rrule ? String(todo.rrule).replace(/^.*RRULE:/s, "") : null,
      isImportant: priority >= 1 && priority <= 4,
      isDone: todo.status === "COMPLETED" || todo.completed !== undefined,
      ...{ done: timeOf(todo.completed), created: timeOf(todo.created) },
    },
    context,
  );
}

function reminderOf(trigger: string, due: string | undefined, context: ReadingContext): string | undefined {
  const instant = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  if (instant.test(trigger)) return trigger.replace(instant, "$1-$2-$3T$4:$5:$6Z");
  return due === undefined ? undefined : reminderFrom(trigger, due, context);
}
