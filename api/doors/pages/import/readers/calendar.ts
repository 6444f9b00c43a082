import ICAL from "ical.js";
import { isTimeZone } from "../../../../../shared/domain/day/day.ts";
import { countInWords } from "../../kit/words.ts";
import { createKeys, type Finding, left, type ReadingContext } from "./found.ts";
import { instantOf, reminderFrom, todoOf } from "./tasks.ts";

export const isCalendar = (text: string): boolean => /^\s*BEGIN:VCALENDAR/i.test(text);

/** The library throws plain errors for malformed text and values. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Reads the tasks (VTODO) of iCalendar files. */
export function* readCalendar(text: string, context: ReadingContext): Generator<Finding> {
  const parsed = attempt(() => ICAL.parse(text));
  if (parsed === undefined) return yield left("", "This calendar is damaged, or not whole.");
  for (const root of typeof parsed[0] === "string" ? [parsed] : parsed) {
    const calendar = new ICAL.Component(root);
    const todos = calendar.getAllSubcomponents("vtodo");
    const titles = new Map(todos.map((todo) => [textOf(todo, "uid"), textOf(todo, "summary")]));
    const keys = createKeys("calendar");
    for (const todo of todos) {
      const parent = todo.hasProperty("related-to") ? titles.get(textOf(todo, "related-to")) : undefined;
      const key = keys(textOf(todo, "uid"), textOf(todo, "recurrence-id"));
      yield* readTodo(todo, { key, parent, list: textOf(calendar, "x-wr-calname") }, context);
    }
    const events = calendar.getAllSubcomponents("vevent").length;
    if (events > 0)
      yield left("", `Stays out, because Kept has no events: ${countInWords(events, "event")}.`);
  }
}

const firstValue = (component: ICAL.Component, name: string) =>
  attempt(() => component.getFirstPropertyValue(name)) ?? undefined;

const textOf = (component: ICAL.Component, name: string): string => {
  const value = firstValue(component, name);
  return value === undefined ? "" : String(value);
};

const textsOf = (component: ICAL.Component, name: string): string[] =>
  component
    .getAllProperties(name)
    .flatMap((property) => (attempt(() => property.getValues()) ?? []).map(String));

/** A date, an instant, or a time on any clock where the file has no zone. */
function timeOf(component: ICAL.Component, name: string): string | undefined {
  const time = firstValue(component, name);
  if (!(time instanceof ICAL.Time)) return undefined;
  const zone = component.getFirstProperty(name)?.getFirstParameter("tzid") ?? "";
  if (time.isDate || time.zone === ICAL.Timezone.utcTimezone) return time.toString();
  if (time.zone !== ICAL.Timezone.localTimezone) return time.toJSDate().toISOString();
  return isTimeZone(zone) ? instantOf(time.toString(), zone) : time.toString();
}

type OfTodo = Readonly<{ key: string; parent: string | undefined; list: string }>;

function* readTodo(
  todo: ICAL.Component,
  { key, parent, list }: OfTodo,
  context: ReadingContext,
): Generator<Finding> {
  const title = textOf(todo, "summary") || "Untitled";
  if (todo.hasProperty("recurrence-id"))
    return yield left(title, "It is one changed day of a series, which Kept cannot have.");
  const [category, ...labels] = textsOf(todo, "categories");
  const due = timeOf(todo, "due") ?? timeOf(todo, "dtstart");
  const alarms = todo.getAllSubcomponents("valarm");
  if (alarms.length > 1) yield left(title, `Comes with the first of its ${alarms.length} reminders.`);
  const priority = Number(textOf(todo, "priority"));
  const details = ["location", "url", "attach"].flatMap((name) =>
    textsOf(todo, name).map(
      (text) => `${name.replace(/^./, (letter) => letter.toUpperCase())}: ${text.slice(0, 500)}`,
    ),
  );
  const [reminder] = alarms.map((alarm) => reminderOf(alarm, due, context));
  if (alarms.length > 0 && !reminder)
    yield left(title, "Comes without its reminder, whose time Kept cannot tell.");
  yield* todoOf(
    {
      ...{ key, title, list: category ?? list, due, reminder },
      lines: [
        textOf(todo, "description"),
        parent ? `Part of: ${parent.slice(0, 255)}` : "",
        labels.length > 0 ? `Labels: ${labels.join(", ")}` : "",
        ...details,
      ],
      rule: textOf(todo, "rrule") || null,
      isImportant: priority >= 1 && priority <= 4,
      isDone: textOf(todo, "status") === "COMPLETED" || todo.hasProperty("completed"),
      done: timeOf(todo, "completed"),
      created: timeOf(todo, "created"),
    },
    context,
  );
}

function reminderOf(
  alarm: ICAL.Component,
  due: string | undefined,
  context: ReadingContext,
): string | undefined {
  const trigger = firstValue(alarm, "trigger");
  if (trigger instanceof ICAL.Time) return timeOf(alarm, "trigger");
  return due === undefined ? undefined : reminderFrom(String(trigger), due, context);
}
