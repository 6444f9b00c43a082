import type { Static } from "typebox";
import { type Contract, commands } from "../../../../shared/contracts/catalogue.ts";
import type { Habit } from "../../../../shared/contracts/habit/fields.ts";
import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import type { Todo } from "../../../../shared/contracts/todo/fields.ts";
import type { ReminderSecrets } from "../../../../shared/db/shared-secrets.ts";
import { sayUntil } from "../../../../shared/domain/day/say-date.ts";
import {
  actLabels,
  type HabitOffer,
  type Offer,
  readOffer,
  type TodoOffer,
} from "../../../../shared/domain/reminder/link.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import { senderOf } from "../../../http/request.ts";
import { statusOf } from "../../../http/response.ts";
import { type PerformContext, perform } from "../../../perform.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { isActUsed } from "../../../queries/reminder/read.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { message, page } from "../../../web/page.ts";
import { sayWallTime } from "../kit/words.ts";

export type ActContext = PerformContext &
  Readonly<{
    linkKeys: ReminderSecrets["linkKeys"];
    now(): number;
    /** Counts the uses of the links of a delivery. */
    limit: RateLimit;
  }>;

/** Requests for the links of one delivery in a minute. */
export const actsPerMinute = 20;

const site = { home: "/account", formTargets: [] };
const headers = { "X-Robots-Tag": "noindex" };

/**
 * A link in a reminder, which needs no sign-in. GET shows one button and changes nothing, because scanners of mail follow
 * links; POST does what the button says.
 */
export async function answerAct(context: ActContext, request: Request, link: string): Promise<Response> {
  const offer = readOffer(link, await context.linkKeys(), context.now());
  if (offer === undefined)
    return say("Not found", "This link is not whole. Open it from the reminder again.", 404);
  if (offer === "expired") return say("Too late", "Links in reminders work for seven days.", 410);
  const allowance = await context.limit(offer.deliveryId);
  if (!allowance.allowed)
    return say("That did not work", "This link is opened too often. Try again in a minute.", 429);
  if (request.method === "POST") return accept(context, request, offer);
  if (request.method === "GET" || request.method === "HEAD") return ask(context, offer);
  return say("That did not work", "This address does not take that method.", 405);
}

const say = (title: string, text: string | Html, status: number): Response =>
  message(site, title, text, { status, headers });

async function ask(context: ActContext, offer: Offer): Promise<Response> {
  const query = context.query({ userId: offer.userId });
  const { today } = await readDaySettings(query);
  if (await isActUsed(query, offer)) return usedAlready();
  const question = await query.inTurn((own) => subjectOf(offer).ask(own, today.date));
  if (isRefused(question)) return refused(question);
  const body = html`<p class="lead">${question.text}</p>
    <form method="post"><button>${question.button}</button></form>`;
  return page(site, { title: "Your reminder", body }, { headers });
}

const usedAlready = (): Response =>
  say("Used already", "This link was used already, or has ended. It works once.", 200);

const refused = ({ refusal: { code, message: reason } }: Refused): Response =>
  say("That did not work", reason, statusOf(code));

/** The author in the log of actions. */
const clientName = "a link in a reminder";

async function accept(context: ActContext, request: Request, offer: Offer): Promise<Response> {
  const { userId, deliveryId, act } = offer;
  const { contract, fields, saysDone } = subjectOf(offer);
  const actor = { userId, scopes: allScopes, clientName };
  const { outcome, replayed } = await perform(context, {
    ...{ contract, actor },
    by: senderOf(request, "page", actor),
    content: () => ({ fields, idempotencyKey: `${clientName} ${deliveryId} ${act}` }),
  });
  if (isRefused(outcome)) return refused(outcome);
  if (replayed) return usedAlready();
  const { today } = await readDaySettings(context.query({ userId }));
  const sentence = saysDone(outcome.body, today.date);
  // A ring is no change of a habit, so there is nothing to undo.
  const isRing = "habitId" in offer && act === "hour";
  const undo = !isRing && html` You can undo it under <a href="/account/actions">Activity</a>.`;
  return say("Done", html`${sentence}${undo}`, 200);
}

/** The thing that a link acts on: a todo, or a habit on the day of its reminder. Words use the user's present day. */
type ActSubject = Readonly<{
  ask(query: QueryContext, today: string): Promise<Question | Refused>;
  contract: Contract;
  fields: Fields;
  /** @param body the answer to the command */
  saysDone(body: unknown, today: string): Html;
}>;

type Question = Readonly<{ text: Html; button: string }>;

const subjectOf = (offer: Offer): ActSubject => ("todoId" in offer ? onTodo(offer) : onHabit(offer));

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
    if (act === "hour")
      return { text: html`${questions.hour} <strong>${habit.name}</strong>`, button: actLabels.hour };
    const [question, button] = act === "skip" ? ["Skip", "Skip"] : completing[habit.type];
    return { text: html`${question} <strong>${habit.name}</strong> for ${sayUntil(date, today)}`, button };
  },
  contract: commands["habit.act"],
  fields: { habit_id, delivery_id, act, date },
  saysDone(body, today) {
    const { name, type } = body as Static<typeof Habit>;
    if (act === "hour") return html`<strong>${name}</strong>: the reminder comes again in an hour.`;
    const how = act === "skip" ? "skipped" : completed[type];
    return html`<strong>${name}</strong> is ${how} for ${sayUntil(date, today)}.`;
  },
});

const completing = { good: ["Tick off", "Done"], bad: ["Say that you avoided", "Avoided"] } as const;
const completed = { good: "done", bad: "avoided" } as const;
