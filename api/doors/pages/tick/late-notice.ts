import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { daysBack } from "../../../../shared/domain/habit/streak.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabitInWeek } from "../../../queries/habit/week.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { sayDated } from "../kit/dates.ts";
import { type Tickable, tickFields } from "../kit/tick-fields.ts";
import type { Visit } from "../session/context.ts";

type Asked = Readonly<{ today: string; asked: readonly string[] }>;

/** Asks for the meant day of a tick that was sent from a page of another day; nothing is completed yet. */
export async function lateNotice(
  visit: Visit,
  query: QueryContext,
  { today, asked }: Asked,
): Promise<Html | null> {
  const [item = "", answer, day = ""] = asked;
  const [, kind, number] = /^(habit|todo)-(\d{1,15})$/.exec(item) ?? [];
  if (!number || !isCalendarDate(day) || (kind !== "habit" && kind !== "todo")) return null;
  const id = Number(number);
  const found = await query.inTurn(async (own) => ({ named: await readItem(own, kind, id) }), false);
  if (isRefused(found) || !found.named) return null;
  const { name, changeableFrom = today } = found.named;
  const done = answer === "yes";
  const mayChange = changeableFrom <= day && day < today;
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

/** The weekday alone if it is unambiguous: `Monday`; else the date. */
function sayDay(day: string, today: string): string {
  const isNear = addDays(today, -daysBack) < day && day <= today;
  return isNear
    ? new Date(day).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" })
    : sayDated(day, today);
}

/** A todo belongs to no day, so none of its days can be changed. */
type Named = Readonly<{ name: string; changeableFrom?: string }>;

async function readItem(query: QueryContext, kind: "habit" | "todo", id: number): Promise<Named | undefined> {
  if (kind === "todo") {
    const todo = await readTodo(query, { todo_id: id });
    return isRefused(todo) ? undefined : { name: todo.title };
  }
  const { today } = await readDaySettings(query);
  const item = await readHabitInWeek(query, today, id);
  return item && { name: item.habit.name, changeableFrom: item.changeableFrom };
}
