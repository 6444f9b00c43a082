import { addDays } from "../../../../../shared/domain/day/day.ts";
import { firstOccurrence } from "../../../../../shared/domain/todo/recurrence.ts";
import { parseJson } from "../../../../http/input.ts";
import { fieldsSaid } from "../../../../queries/quick-add/quick-add.ts";
import { readLine } from "../../../../queries/quick-add/read-line.ts";
import { inEnglish } from "./date-words.ts";
import { type CsvRecord, cell, csvRecords, objectIn, textIn } from "./fields.ts";
import { createKeys, type Finding, left, type ReadingContext, type TextFile } from "./found.ts";
import { todoOf } from "./tasks.ts";

type Task = Readonly<{ row: CsvRecord; section: string; parent: string | undefined; notes: string[] }>;

/** Many tasks may repeat the name of one section, so a file of some megabytes could become gigabytes of text. */
const longestName = 255;

/**
 * Reads projects: CSV templates of Todoist, or its backups. Tasks are told apart by what they say, over all files of an
 * upload, because browsers and people rename files.
 */
export function* readTodoist(files: readonly TextFile[], context: ReadingContext): Generator<Finding> {
  const keys = createKeys("todoist");
  for (const { name, text, year } of files) {
    const list = projectOf(name);
    for (const task of tasksIn(text)) {
      const content = cell(task.row, "content");
      const key = keys(task.section, content, cell(task.row, "date"), task.parent ?? "");
      yield* readTask(task, { key, list }, { ...context, year });
    }
  }
}

/** `Work [2203306141].csv` in a backup, `Work.csv` as a template, `Work (1).csv` if a browser had one already. */
function projectOf(name: string): string | undefined {
  const plain = name
    .replace(/^.*[\\/]/, "")
    .replace(/( \(\d{1,2}\))?\.csv$/i, "")
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
    if (type === "note" && content !== "") task?.notes.push(withoutJson(content));
    if (type !== "task" || content === "") continue;
    if (task) yield task;
    const indent = Math.max(1, Math.min(10, Number(cell(row, "indent")) || 1));
    above = [...above.slice(0, indent - 1), content];
    task = { row, section, parent: above.at(-2), notes: [] };
  }
  if (task) yield task;
}

/** A comment with a file names it as JSON. */
const withoutJson = (note: string): string =>
  note.replace(/\[\[file (\{.*\})\]\]/s, (_, json) => {
    const { file_name, file_url, title } = objectIn(parseJson(json));
    return `file ${[textIn(file_name) || textIn(title), textIn(file_url)].filter(Boolean).join(" ")}`;
  });

function* readTask(
  task: Task,
  { key, list }: Readonly<{ key: string; list: string | undefined }>,
  { year, ...reading }: ReadingContext & Readonly<{ year: number | undefined }>,
): Generator<Finding> {
  const { row } = task;
  const { title, labels } = withoutLabels(cell(row, "content"));
  const [context = null, ...otherLabels] = labels;
  const deadline = cell(row, "deadline");
  const written = cell(row, "date") || deadline;
  const language = cell(row, cell(row, "date") === "" ? "deadline_lang" : "date_lang");
  const date =
    written === "" ? undefined : readTodoistDate(inEnglish(written, language), reading.today.date, year);
  if (written !== "" && !date)
    yield left(
      title,
      `Comes without a date, because “${written}” is not one that Kept reads; its description has it.`,
    );
  const { due_date, due_time, recurrence, recurrence_from } = date ?? {};
  const due = [due_date, due_time].filter(Boolean).join("T");
  const priority = cell(row, "priority");
  const lines = [
    task.section === "" ? "" : `Section: ${task.section.slice(0, longestName)}`,
    /^[23]$/.test(priority) ? `Priority: ${priority}` : "",
    date || written === "" ? "" : `Date: ${written}`,
    deadline === "" || deadline === written ? "" : `Deadline: ${deadline}`,
    ...task.notes.map((note) => `Note: ${note}`),
  ];
  yield* todoOf(
    {
      ...{ key, list, title, context, labels: otherLabels, lines, due, parent: task.parent },
      ...{ notes: cell(row, "description"), minutes: minutesIn(row), isImportant: priority === "1" },
      // A time is also a reminder, as in the line at the top of the pages.
      reminders: due_time ? [due] : [],
      ...{ rule: recurrence, fromCompletion: recurrence_from === "completion" },
    },
    reading,
  );
}

/** Labels are in the task's name, as `@errand`; e-mail addresses are not labels. */
function withoutLabels(content: string): Readonly<{ title: string; labels: string[] }> {
  const labels = Array.from(content.matchAll(/(?<=^|\s)@(\S+)/g), ([, label = ""]) => label);
  const title = content.replaceAll(/(^|\s)@\S+/g, "").trim();
  return title === "" ? { title: content, labels: [] } : { title, labels };
}

function minutesIn(row: CsvRecord): number | null {
  const duration = Number(cell(row, "duration"));
  if (!Number.isInteger(duration) || duration < 1) return null;
  const unit = cell(row, "duration_unit");
  return unit === "minute" ? duration : unit === "day" ? duration * 24 * 60 : null;
}

/** No date has more letters, and reading a longer text would take long. */
const longestDate = 100;

const monthName = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const withoutYear = new RegExp(`^(?!.*\\d{4}).*(?:${monthName} \\d|\\d(?:st|nd|rd|th)? ${monthName})`);
const monthsAndDay = new RegExp(`^every ((?:${monthName},? )+)(\\d{1,2})$`);

/**
 * Reads a date as the line at the top of the pages does. Todoist writes all hours of the day, so `5:30` is in the
 * morning, and no year in dates of the year in which it wrote the file.
 * @returns undefined for a text that is more than a date
 */
export function readTodoistDate(written: string, today: string, year = Number(today.slice(0, 4))) {
  if (written.length > longestDate) return undefined;
  const text = written
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/, "$1 ")
    .replace(/( \d\d:\d\d):\d\d(?:\.\d+)?z?$/, "$1")
    .replace(/(?<=[a-z])\./g, "")
    .replace(/^yesterday\b/, addDays(today, -1))
    .replace(/^after (?=\d)/, "every! ")
    .replace(/^every \d{1,2}(?:, ?\d{1,2})+$/, (days) => days.replace(/\d+/g, "$&th"));
  const isOfYear = withoutYear.test(text) && !/^every(?!.*\b(?:starting|from)\b)/.test(text);
  const first = isOfYear && year <= Number(today.slice(0, 4)) ? `${year}-01-01` : today;
  const clock = { now: Date.parse(first), timeZone: "UTC", today: first };
  const [, months = "", day] = monthsAndDay.exec(text) ?? [];
  if (day !== undefined) return yearlyOn(months.match(/[a-z]{3}[a-z]*/g) ?? [], day, today);
  const { title, says } = readLine(text, clock, "todo");
  const { hour, ...others } = says;
  const fields = fieldsSaid(hour ? { ...others, hour: { ...hour, isOpen: false } } : others, text, clock);
  const { minutes, category, context, remindHour, remindBefore } = says;
  const more = [minutes, category, context, remindHour, remindBefore];
  if (title !== "" || more.some((said) => said !== undefined)) return undefined;
  const { due_date, due_time, recurrence, recurrence_from } = fields;
  return { due_date, due_time, recurrence, recurrence_from: recurrence_from ?? ("due" as const) };
}

function yearlyOn(months: readonly string[], day: string, today: string) {
  const numbers = months.map((name) => new Date(`1 ${name} 2000`).getMonth() + 1);
  const recurrence = `FREQ=YEARLY;BYMONTHDAY=${day};BYMONTH=${numbers.join(",")}`;
  const due_date = firstOccurrence(recurrence, today);
  return { due_date, due_time: null, recurrence, recurrence_from: "due" as const };
}
