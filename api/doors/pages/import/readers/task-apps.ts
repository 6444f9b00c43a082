import { isTimeZone } from "../../../../../shared/domain/day/day.ts";
import {
  type CsvRecord,
  cell,
  csvRecords,
  type JsonFields,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from "./fields.ts";
import { type Finding, keyOf, left, type ReadingContext } from "./found.ts";
import { momentIn, reminderFrom, todoOf } from "./tasks.ts";

/** True for `Tasks.json` of Google's Takeout. */
export const isGoogleTasks = (value: unknown): boolean => objectIn(value).kind === "tasks#taskLists";

/** Reads lists with their tasks. Google has only the day of a due date, and exports no repetition. */
export function* readGoogleTasks(value: unknown, context: ReadingContext): Generator<Finding> {
  for (const list of objectsIn(objectIn(value).items)) {
    const tasks = objectsIn(list.items).filter(({ deleted }) => deleted !== true);
    const titles = new Map(tasks.map(({ id, title }) => [textIn(id), textIn(title)]));
    for (const task of tasks) {
      const [scheduled = {}] = objectsIn(task.scheduled_time);
      yield* todoOf(
        {
          ...{ key: keyOf("google tasks", textIn(task.id)), title: textIn(task.title) },
          ...{ list: textIn(list.title), notes: textIn(task.notes), parent: titles.get(textIn(task.parent)) },
          lines: objectsIn(task.links).map(({ link }) => textIn(link)),
          due: (textIn(task.due) || textIn(scheduled.start)).slice(0, 10),
          isDone: task.status === "completed",
          ...{ done: textIn(task.completed), created: textIn(task.created) },
        },
        context,
      );
    }
  }
}

/** A few lines about the file stand above the table. */
const head = /^.*"?List Name"?[,;\t]"?Title"?[,;\t].*$/m;
const longestPreface = 2_000;

export const isTickTick = (text: string): boolean => head.test(text.slice(0, longestPreface));

/** Reads a backup of TickTick. */
export function* readTickTick(text: string, context: ReadingContext): Generator<Finding> {
  const rows = [...csvRecords(text.slice(text.search(head)))];
  const titles = new Map(rows.map((row) => [cell(row, "taskid"), cell(row, "title")]));
  for (const row of rows) yield* readTickTickTask(row, titles.get(cell(row, "parentid")), context);
}

function* readTickTickTask(
  row: CsvRecord,
  parent: string | undefined,
  context: ReadingContext,
): Generator<Finding> {
  const [title, created, section] = [cell(row, "title"), cell(row, "created time"), cell(row, "column name")];
  const start = cell(row, "start date");
  const written = cell(row, "due date") || start;
  const zone = isTimeZone(cell(row, "timezone")) ? cell(row, "timezone") : context.today.timeZone;
  // A day is midnight in the zone of its task.
  const due = (cell(row, "is all day") === "true" && momentIn(written, zone)[0]) || written;
  const reminders = cell(row, "reminder").split(/[,\n]/).filter(Boolean);
  const [tag, ...labels] = cell(row, "tags").split(/,\s*/).filter(Boolean);
  const repeat = cell(row, "repeat");
  const rule = repeat.replace(/^RRULE:|;TT_\w+=[^;]*/g, "");
  const isOwn = repeat.includes(";TT_");
  if (isOwn) yield left(title, "Repeats without the part of its rule that only TickTick has.");
  yield* todoOf(
    {
      ...{ key: keyOf("ticktick", cell(row, "taskid"), created, title), title, due, parent, labels, created },
      ...{ list: cell(row, "list name"), context: tag, rule, done: cell(row, "completed time") },
      notes: cell(row, "content").replaceAll("▫", "\n- [ ] ").replaceAll("▪", "\n- [x] ").trim(),
      start: start === written ? undefined : start,
      lines: [section && `Section: ${section}`, isOwn ? `Repeats: ${repeat}` : ""],
      reminders: reminders.map((trigger) => reminderFrom(trigger.replace("TRIGGER:", ""), due, context)),
      ...{ isImportant: cell(row, "priority") === "5", isDone: /^[12]$/.test(cell(row, "status")) },
    },
    context,
  );
}

/** True for `data.json` of Vikunja's export, a list of projects, and for the filters beside it. */
export const isVikunja = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => ["tasks", "filters"].some((name) => name in objectIn(one)));

/** Reads projects with their tasks. */
export function* readVikunja(value: unknown, context: ReadingContext): Generator<Finding> {
  for (const project of objectsIn(value))
    for (const task of objectsIn(project.tasks)) yield* readVikunjaTask(task, textIn(project.title), context);
}

/** Go's empty time. */
const timeIn = (value: unknown): string | undefined =>
  textIn(value).startsWith("0001") ? undefined : textIn(value) || undefined;

function* readVikunjaTask(task: JsonFields, list: string, context: ReadingContext): Generator<Finding> {
  const title = textIn(task.title);
  const rule = ruleOf(task);
  if (rule === undefined) yield left(title, "Does not repeat: Kept has no repetition within a day.");
  const [label, ...labels] = objectsIn(task.labels).map((one) => textIn(one.title));
  const attached = objectsIn(task.attachments).map(({ file }) => `File: ${textIn(objectIn(file).name)}`);
  if (attached.length > 0) yield left(title, "Comes with the names of its attachments alone.");
  const [parent] = objectsIn(objectIn(task.related_tasks).parenttask);
  const comments = objectsIn(task.comments).map(({ comment }) => `Note: ${plainText(textIn(comment))}`);
  yield* todoOf(
    {
      key: keyOf("vikunja", numberIn(task.id) ?? 0, textIn(task.created), title),
      ...{ title, list, context: label, labels, rule, lines: [...comments, ...attached] },
      ...{ notes: plainText(textIn(task.description)), parent: textIn(parent?.title) },
      ...{
        due: timeIn(task.due_date),
        start: timeIn(task.start_date),
        done: timeIn(task.done_at),
        created: timeIn(task.created),
      },
      reminders: objectsIn(task.reminders).map(({ reminder }) => timeIn(reminder)),
      ...{ isDone: task.done === true, isImportant: (numberIn(task.priority) ?? 0) >= 3 },
      fromCompletion: task.repeat_mode === 2,
    },
    context,
  );
}

/** Vikunja writes HTML. */
const plainText = (html: string): string =>
  html
    .replace(/<li[^>]*data-checked="true"[^>]*>/g, "\n- [x] ")
    .replace(/<li[^>]*data-checked="false"[^>]*>/g, "\n- [ ] ")
    .replace(/<(?:br|\/p|\/h\d|\/li)[^>]*>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (_, name) => entities.get(name) ?? "")
    .replace(/\s*\n\s*/g, "\n")
    .trim();

const entities = new Map(Object.entries({ lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " ", amp: "&" }));

const secondsInDay = 86_400;

/** @returns null without repetition, undefined for one that Kept does not have */
function ruleOf({ repeat_after, repeat_mode }: JsonFields): string | null | undefined {
  if (repeat_mode === 1) return "FREQ=MONTHLY";
  const days = (numberIn(repeat_after) ?? 0) / secondsInDay;
  if (days === 0) return null;
  return Number.isInteger(days) ? `FREQ=DAILY;INTERVAL=${days}` : undefined;
}
