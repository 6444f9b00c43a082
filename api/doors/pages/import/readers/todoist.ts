import type { TimeOfDay } from "../../../../../shared/domain/vocabulary.ts";
import { fieldsSaid } from "../../../../queries/quick-add/quick-add.ts";
import { type ReadLine, readLine } from "../../../../queries/quick-add/read-line.ts";
import { csvRecords } from "./fields.ts";
import { createKeys, type Finding, keyOf, left, type ReadingContext, type TextFile } from "./found.ts";

type Row = ReadonlyMap<string, string>;
type Task = Readonly<{ row: Row; section: string; parent: string | undefined; notes: string[] }>;

/**
 * Many tasks may repeat the name of one section or parent, so a file of some megabytes could become gigabytes of text.
 */
const longestName = 255;

const cell = (row: Row, name: string): string => (row.get(name) ?? "").trim();

/** Reads one project: a CSV template of Todoist, or one from its backups. */
export function* readTodoist(file: TextFile, context: ReadingContext): Generator<Finding> {
  const keys = createKeys("todoist");
  const project = projectOf(file.name);
  const category = project === undefined ? null : keyOf("todoist project", project);
  if (category !== null && project !== undefined)
    yield { kind: "categories", thing: { key: category, name: project } };
  for (const task of tasksIn(file.text)) {
    const content = cell(task.row, "content");
    const key = keys(project ?? "", task.section, content, cell(task.row, "date"), task.parent ?? "");
    yield* readTask(task, { key, category }, context);
  }
}

/** `Work [2203306141].csv` in a backup, `Work.csv` as a template. */
function projectOf(name: string): string | undefined {
  const plain = name
    .replace(/^.*[\\/]/, "")
    .replace(/\.csv$/i, "")
    .replace(/ ?\[\w+\]$/, "")
    .trim();
  return plain === "" || /^inbox$/i.test(plain) ? undefined : plain;
}

/** Notes follow their task in rows of their own, and subtasks are indented below it. */
function* tasksIn(text: string): Generator<Task> {
  let section = "";
  let task: Task | undefined;
  let above: string[] = [];
  for (const row of csvRecords(text)) {
    const [type, content] = [cell(row, "type").toLowerCase(), cell(row, "content")];
    if (type === "section") section = content;
    if (type === "note" && content !== "") task?.notes.push(content);
    if (type !== "task" || content === "") continue;
    if (task) yield task;
    const indent = Math.max(1, Math.min(10, Number(cell(row, "indent")) || 1));
    above = [...above.slice(0, indent - 1), content];
    task = { row, section, parent: above.at(-2), notes: [] };
  }
  if (task) yield task;
}

type TaskContext = Readonly<{ key: string; category: string | null }>;

function* readTask(
  task: Task,
  { key, category }: TaskContext,
  { today }: ReadingContext,
): Generator<Finding> {
  const { row } = task;
  const { title, labels } = withoutLabels(cell(row, "content"));
  const [context = null, ...otherLabels] = labels;
  const written = cell(row, "date") || cell(row, "deadline");
  const date = written === "" ? undefined : readTodoistDate(written, today.date);
  if (written !== "" && !date)
    yield left(
      title,
      `Comes without a date, because “${written}” is not one that Kept reads; its description has it.`,
    );
  const description = describe(task, otherLabels, date ? "" : written);
  const estimated_minutes = minutesIn(row);
  const thing = { ...date, key, category, title, context, description, estimated_minutes };
  yield { kind: "todos", thing };
}

/** Labels are in the task's name, as `@errand`; e-mail addresses are not labels. */
function withoutLabels(content: string): Readonly<{ title: string; labels: string[] }> {
  const labels = Array.from(content.matchAll(/(?<=^|\s)@(\S+)/g), ([, label = ""]) => label);
  const title = content.replaceAll(/(^|\s)@\S+/g, "").trim();
  return title === "" ? { title: content, labels: [] } : { title, labels };
}

/** The description keeps everything that Kept has no field for. */
function describe(
  { row, section, parent, notes }: Task,
  labels: readonly string[],
  date: string,
): string | null {
  const priority = cell(row, "priority");
  const lines = [
    cell(row, "description"),
    parent === undefined ? "" : `Part of: ${parent.slice(0, longestName)}`,
    section === "" ? "" : `Section: ${section.slice(0, longestName)}`,
    /^[123]$/.test(priority) ? `Priority: ${priority}` : "",
    labels.length > 0 ? `Labels: ${labels.join(", ")}` : "",
    date === "" ? "" : `Date: ${date}`,
    ...notes.map((note) => `Note: ${note}`),
  ];
  return lines.filter((line) => line !== "").join("\n") || null;
}

function minutesIn(row: Row): number | null {
  const duration = Number(cell(row, "duration"));
  if (!Number.isInteger(duration) || duration < 1) return null;
  const unit = cell(row, "duration_unit");
  return unit === "minute" ? duration : unit === "day" ? duration * 24 * 60 : null;
}

/** No date has more letters, and reading a longer text would take long. */
const longestDate = 100;

/**
 * Reads a date as the line at the top of the pages does. Todoist writes all hours of the day, so `5:30` is in the morning.
 * @returns undefined for a text that is more than a date
 */
export function readTodoistDate(written: string, today: string) {
  if (written.length > longestDate) return undefined;
  const text = written.replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/i, "$1 ");
  const clock = { now: Date.parse(today), timeZone: "UTC", today };
  const { title, says } = readLine(text, clock, "todo");
  const { hour, ...others } = says;
  const fields = fieldsSaid(hour ? { ...others, hour: { ...hour, isOpen: false } } : others, text, clock);
  if (title !== "" || hasMore(says)) return undefined;
  const { due_date, due_time, recurrence, recurrence_from, time_of_day } = fields;
  return {
    ...{ due_date, due_time, recurrence, recurrence_from: recurrence_from ?? ("due" as const) },
    time_of_day: time_of_day ?? (due_time === null ? null : partOf(Number(due_time.slice(0, 2)))),
  };
}

const hasMore = ({ minutes, category, context, remindHour, remindBefore }: ReadLine["says"]): boolean =>
  [minutes, category, context, remindHour, remindBefore].some((said) => said !== undefined);

const partOf = (hour: number): TimeOfDay => (hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening");
