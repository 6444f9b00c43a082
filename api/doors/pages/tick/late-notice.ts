import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { daysBack, daysShown } from "../../../../shared/domain/habit/history.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { locale } from "../../../web/locale.ts";
import { type Tickable, tickFields } from "../kit/tick-fields.ts";
import type { Visit } from "../session/context.ts";

/** Asks for the meant day of a tick that was sent from a page of another day; nothing is completed yet. */
export async function lateNotice(visit: Visit, asked: readonly string[]): Promise<Html | null> {
  const [item = "", answer, day = ""] = asked;
  const [, kind, number] = /^(habit|todo)-(\d{1,15})$/.exec(item) ?? [];
  if (!number || !isCalendarDate(day) || (kind !== "habit" && kind !== "todo")) return null;
  const id = Number(number);
  const found = await visit.query.inTurn((own) => readAsked(own, kind, id));
  if (isRefused(found) || !found.name) return null;
  const { today, name } = found;
  const amount = /^add-(\d{1,7})$/.exec(answer ?? "")?.[1];
  const done = answer === "yes" || amount !== undefined;
  const verb = amount === undefined ? "Tick it" : `Add ${amount}`;
  // A todo belongs to no day, so none of its days can be changed.
  const mayChange = kind === "habit" && addDays(today, -daysBack) <= day && day < today;
  const choices = [
    ...(mayChange ? [{ date: day, label: `${done ? verb : "Undo it"} for ${sayDay(day, today)}` }] : []),
    ...(done ? [{ date: today, label: `${verb} for today` }] : []),
  ];
  const choose = ({ date, label }: (typeof choices)[number]) =>
    tickForm(visit, { kind, id, day: today, ...(kind === "habit" && { date }) }, { done, label, amount });
  return html`<div class="note warn"><p>It is ${sayDay(today, today)} now, and the page was of ${sayDay(day, today)}.
    ${done ? "Not ticked off yet" : "Not taken back"}: <strong>${name}</strong></p>
    <div class="actions">${choices.map(choose)}</div></div>`;
}

const tickForm = (
  visit: Visit,
  item: Tickable,
  { done, label, amount }: Readonly<{ done: boolean; label: string; amount: string | undefined }>,
): Html =>
  html`<form method="post" action="/account/tick" data-stay>${tickFields(visit, item)}
    ${amount !== undefined && html`<input type="hidden" name="amount" value="${amount}">`}
    <button class="plain" name="done" value="${amount !== undefined ? "add" : done ? "yes" : "no"}">${label}</button></form>`;

/** The weekday alone if it is unambiguous: `Monday`; else the date. */
function sayDay(day: string, today: string): string {
  const isNear = addDays(today, -daysShown) < day && day <= today;
  return isNear
    ? new Date(day).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" })
    : sayDated(day, today, locale());
}

async function readAsked(query: QueryContext, kind: "habit" | "todo", id: number) {
  const { today } = await readDaySettings(query);
  const thing =
    kind === "todo" ? await readTodo(query, { todo_id: id }) : await readHabit(query, { habit_id: id });
  const name = isRefused(thing) ? undefined : "title" in thing ? thing.title : thing.name;
  return { today: today.date, name };
}
