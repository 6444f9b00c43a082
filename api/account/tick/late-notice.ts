import { isCalendarDate } from "../../../shared/contracts/text.ts";
import { addDays } from "../../../shared/domain/day.ts";
import { daysBack } from "../../../shared/domain/streak.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { QueryContext } from "../../queries/context.ts";
import { readHabit } from "../../queries/habit.ts";
import { readTodo } from "../../queries/todo.ts";
import type { Visit } from "../visit/context.ts";
import { sayDated } from "../visit/dates.ts";
import { type Tickable, tickFields } from "./tick-fields.ts";

type Asked = Readonly<{ today: string; asked: readonly string[] }>;

/** Asks which day is meant by a tick that was sent from a page of another day: nothing was ticked off yet. */
export async function lateNotice(
  visit: Visit,
  query: QueryContext,
  { today, asked }: Asked,
): Promise<Html | null> {
  const [item = "", answer, day = ""] = asked;
  const [, kind, number] = /^(habit|todo)-(\d{1,15})$/.exec(item) ?? [];
  if (!number || !isCalendarDate(day) || (kind !== "habit" && kind !== "todo")) return null;
  const id = Number(number);
  const name = await nameOf(query, kind, id);
  if (name === undefined) return null;
  const done = answer === "yes";
  const mayChange = kind === "habit" && addDays(today, -daysBack) <= day && day < today;
  const choices = [
    ...(mayChange ? [{ date: day, label: `${done ? "Tick it" : "Undo it"} for ${sayDay(day, today)}` }] : []),
    ...(done ? [{ date: today, label: "Tick it for today" }] : []),
  ];
  const choose = ({ date, label }: (typeof choices)[number]) =>
    tickForm(visit, { kind, id, day: today, ...(kind === "habit" && { date }) }, { done, label });
  return html`<div class="note warn"><p>It is ${sayDay(today, today)} now, and the page was of ${sayDay(day, today)}.
    ${done ? "Not ticked off yet" : "Not taken back"}: <strong>${name}</strong></p>
    <div class="actions">${choices.map(choose)}</div></div>`;
}

const tickForm = (
  visit: Visit,
  item: Tickable,
  { done, label }: Readonly<{ done: boolean; label: string }>,
): Html =>
  html`<form method="post" action="/account/tick" data-stay>${tickFields(visit, item)}
    <button class="plain" name="done" value="${done ? "yes" : "no"}">${label}</button></form>`;

/** The weekday alone where that says it: `Monday`; else the date. */
function sayDay(day: string, today: string): string {
  const isNear = addDays(today, -daysBack) < day && day <= today;
  return isNear
    ? new Date(day).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" })
    : sayDated(day, today);
}

async function nameOf(query: QueryContext, kind: "habit" | "todo", id: number): Promise<string | undefined> {
  if (kind === "habit") {
    const habit = await readHabit(query, { habit_id: id });
    return isRefused(habit) ? undefined : habit.name;
  }
  const todo = await readTodo(query, { todo_id: id });
  return isRefused(todo) ? undefined : todo.title;
}
