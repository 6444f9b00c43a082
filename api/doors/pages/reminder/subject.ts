import type { Static } from "typebox";
import { type Contract, commands } from "../../../../shared/contracts/catalogue.ts";
import type { Habit } from "../../../../shared/contracts/habit/schema.ts";
import type { Todo } from "../../../../shared/contracts/todo/schema.ts";
import { sayUntil } from "../../../../shared/domain/day/say-date.ts";
import {
  actLabels,
  type HabitOffer,
  type Offer,
  type TodoOffer,
} from "../../../../shared/domain/reminder/link.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input/validate.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { sayWallTime } from "../kit/dates.ts";

/** The thing that a link acts on: a todo, or a habit on the day of its reminder. Words use the user's present day. */
type ActSubject = Readonly<{
  ask(query: QueryContext, today: string): Promise<Question | Refused>;
  contract: Contract;
  fields: Fields;
  /** @param body the answer to the command */
  saysDone(body: unknown, today: string): Html;
}>;

type Question = Readonly<{ text: Html; button: string }>;

export const subjectOf = (offer: Offer): ActSubject => ("todoId" in offer ? onTodo(offer) : onHabit(offer));

const onTodo = ({ todoId: todo_id, deliveryId: delivery_id, act }: TodoOffer): ActSubject => ({
  async ask(query) {
    const todo = await readTodo(query, { todo_id });
    if (isRefused(todo)) return todo;
    return { text: html`${questions[act]} <strong>${todo.title}</strong>`, button: actLabels[act] };
  },
  contract: commands["reminder.act"],
  fields: { todo_id, delivery_id, act },
  saysDone(body, today) {
    const { title, reminder } = body as Static<typeof Todo>;
    if (act === "done" || !reminder) return html`<strong>${title}</strong> is done.`;
    return html`<strong>${title}</strong>: the reminder comes on ${sayWallTime(reminder.local_time, today)}.`;
  },
});

const questions: Readonly<Record<TodoOffer["act"], string>> = {
  done: "Tick off",
  hour: "Remind me in an hour of",
  tomorrow: "Remind me tomorrow of",
};

const onHabit = ({ habitId: habit_id, deliveryId: delivery_id, date, act }: HabitOffer): ActSubject => ({
  async ask(query, today) {
    const habit = await readHabit(query, { habit_id });
    if (isRefused(habit)) return habit;
    const [question, button] = act === "skip" ? ["Skip", "Skip"] : completing[habit.type];
    return { text: html`${question} <strong>${habit.name}</strong> for ${sayUntil(date, today)}`, button };
  },
  contract: commands["habit.act"],
  fields: { habit_id, delivery_id, act, date },
  saysDone(body, today) {
    const { name, type } = body as Static<typeof Habit>;
    const how = act === "skip" ? "skipped" : completed[type];
    return html`<strong>${name}</strong> is ${how} for ${sayUntil(date, today)}.`;
  },
});

const completing = { good: ["Tick off", "Done"], bad: ["Say that you avoided", "Avoided"] } as const;
const completed = { good: "done", bad: "avoided" } as const;
