import type { Field } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoTags } from "../../../../shared/contracts/todo/fields.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { ActionKey } from "../../../queries/action/runs.ts";
import type { Clock } from "../../../queries/quick-add/forms/phrase.ts";
import { type QuickHabit, type QuickTodo, readQuickAdd } from "../../../queries/quick-add/quick-add.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { draftOfQuickHabit, habitForm } from "../edit/habit-form.ts";
import { createFrom } from "../edit/save.ts";
import { type FormContext, newThingId, newThingPage, openForm } from "../edit/thing-form.ts";
import { draftOfQuickTodo, todoForm } from "../edit/todo-form.ts";
import { othersOfTodo } from "../kit/items.ts";
import { rhythmInWords, sayDue, sayTime, sayWallTime } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { addPath } from "../session/frame.ts";
import { notedPage, noteOf } from "../tick/tick.ts";

/** GET /account/add?line=…&kind=…: shows the reading of a line in words, in a form that saves it. */
export async function previewLine(visit: Visit): Promise<PageAnswer> {
  const context = await openForm(visit);
  if (isRefused(context)) return context;
  const { searchParams } = visit.url;
  const from = searchParams.get("from");
  const kind = searchParams.get("kind");
  const wanted = kind === "todo" || kind === "habit" ? kind : undefined;
  const choice = searchParams.get("choice");
  const read = readQuickAdd(searchParams.get("line") ?? "", context.clock, wanted);
  const quick = withChoice(read, choice);
  const name = quick.kind === "todo" ? quick.title : quick.name;
  const lead = html`<div class="card preview">${name && html`<p><strong>${name}</strong></p>`}
    ${chips(quick, context.clock)}
    ${choices(read, visit.url, choice)}
    <button form="${newThingId}">Add it like this</button></div>
    ${lineHelp(visit, quick.kind)}`;
  const { form, draft } = filledIn(quick, context);
  return newThingPage(form, context, { draft, lead, from });
}

/** The form of a line's kind, and the line as its draft. */
const filledIn = (quick: QuickTodo | QuickHabit, context: FormContext) =>
  quick.kind === "todo"
    ? { form: todoForm, draft: draftOfQuickTodo(quick, context) }
    : { form: habitForm, draft: draftOfQuickHabit(quick, context) };

/** GET /account/todos/new and /account/habits/new */
export const newThing =
  (kind: "todo" | "habit") =>
  async (visit: Visit): Promise<PageAnswer> => {
    const context = await openForm(visit);
    if (isRefused(context)) return context;
    const form = kind === "todo" ? todoForm : habitForm;
    const from = visit.url.searchParams.get("from");
    return newThingPage(form, context, { draft: form.blank, lead: lineHelp(visit, kind), from });
  };

/** Help on writing a line, and a link to the form for the other kind. */
function lineHelp({ url }: Visit, kind: "todo" | "habit"): Html {
  const other = kind === "todo" ? "habit" : "todo";
  const address = new URL(addPath, url);
  for (const name of ["line", "from"]) {
    const value = url.searchParams.get(name);
    if (value !== null) address.searchParams.set(name, value);
  }
  address.searchParams.set("kind", other);
  return html`<p><a href="${address.pathname}${address.search}">Make it a ${other} instead</a></p>
    <details><summary>What the line above understands</summary>
    <dl class="facts small">${help.map(([what, how]) => html`<dt>${what}</dt><dd>${how}</dd>`)}</dl>
    <p class="quiet small">Everything else stays in the title. Kept asks about uncertain words.</p></details>`;
}

const help = [
  ["Days and times", "tomorrow, Friday, 24 Dec, 24.12., in 3 days, end of month; at 9 is also a reminder"],
  ["Another reminder", "remind me at 7, remind me 30 min before"],
  ["Repetitions", "every day, mon wed fri, every other Monday, on the 1st of every month, every last Friday"],
  ["Their end", "until Christmas, for 6 weeks, 5 times"],
  ["From the day it is done", "every! 3 days"],
  ["Part of the day", "in the morning, every evening, tonight"],
  ["Category, time", '#Home or #"Home office", 10min or 1h30'],
  ...Object.values<Field>(todoTags).map(
    ({ label, mark, value: { enum: words = ["word", '"some words"'] } }) =>
      [label, words.map((word) => `${mark}${word}`).join(" or ")] as const,
  ),
  ["Important", "! or p1"],
  ["Habits", "habit Run 3 times a week; habit Read every evening; bad habit Smoking"],
] as const;

/** The chosen alternative of a reading; the reading itself if it has no alternative of that label. */
function withChoice(quick: QuickTodo | QuickHabit, label: string | null): QuickTodo | QuickHabit {
  const chosen = quick.alternatives.find((alternative) => alternative.label === label);
  if (!chosen) return quick;
  const { category, alternatives } = quick;
  if ("habit" in chosen) return { kind: "habit", ...chosen.habit, category, alternatives };
  const { label: _, ...fields } = chosen;
  return { ...quick, ...fields };
}

/** The other choices as buttons, and one back to the first reading. */
function choices(
  { alternatives }: QuickTodo | QuickHabit,
  { searchParams }: URL,
  chosen: string | null,
): Html | null {
  const others = alternatives.filter(({ label }) => label !== chosen);
  if (alternatives.length === 0) return null;
  const kept = ["line", "from", "kind"].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  const isChosen = others.length < alternatives.length;
  return html`<form method="get" action="${addPath}" class="chips">${kept}
    <span class="quiet">Or is it</span>
    ${isChosen && html`<button class="plain" name="choice" value="">as first read</button>`}
    ${others.map(({ label }) => html`<button class="plain" name="choice" value="${label}">${label}</button>`)}</form>`;
}

type Chip = readonly [label: string, value: string | number | null];

/** One chip for each field that the line sets, besides its title. */
function chips(quick: QuickTodo | QuickHabit, { today }: Clock): Html | null {
  const said = (quick.kind === "todo" ? ofTodo(quick, today) : ofHabit(quick)).filter(
    ([, value]) => value !== null,
  );
  if (said.length === 0) return null;
  return html`<ul class="plain chips" aria-label="What was understood">${said.map(
    ([label, value]) => html`<li><span class="quiet">${label}</span> ${value}</li>`,
  )}</ul>`;
}

const ofTodo = (todo: QuickTodo, today: string): readonly Chip[] => [
  ["Due", sayDue(todo, today)],
  ["Remind me", todo.remind_at && sayWallTime(`${todo.remind_at}:00`, today)],
  ["Repeats", todo.recurrence && sayRepeat(todo.recurrence)],
  ["Counted", todo.recurrence_from === "completion" ? "from the day on which it is done" : null],
  ["Part of the day", todo.time_of_day],
  ["Takes", todo.estimated_minutes && `${todo.estimated_minutes} min`],
  ...othersOfTodo(todo).map(({ label, value }): Chip => [label, value === true ? "yes" : String(value)]),
  ["Category", todo.category],
  ["Important", todo.is_important ? "yes" : null],
];

const ofHabit = (habit: QuickHabit): readonly Chip[] => [
  ["How often", rhythmInWords(rhythmOf({ ...habit, grace_days: 0 }))],
  ["Part of the day", habit.time_of_day],
  ["Remind me at", habit.remind_at && sayTime(habit.remind_at)],
  ["A habit", habit.type === "bad" ? "to avoid" : null],
  ["Category", habit.category],
];

/** POST /account/add: adds a line in words at once; the next page says what was read, with undo and edit. */
export async function addLine(visit: Visit, sent: URLSearchParams): Promise<PageAnswer> {
  const context = await openForm(visit);
  if (isRefused(context)) return context;
  const quick = readQuickAdd(sent.get("line") ?? "", context.clock);
  const leadsTo = (key: ActionKey) => notedPage(visit, sent, noteOf({ verb: "made", key }), "");
  const { form, draft } = filledIn(quick, context);
  return createFrom(form, context, { draft, errors: {}, sent, leadsTo });
}
