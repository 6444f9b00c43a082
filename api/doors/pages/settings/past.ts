import { channels } from "../../../../shared/domain/reminder/channels.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { ComingReminder, PastDelivery } from "../../../queries/reminder/deliveries.ts";
import { formToken } from "../../../web/form/form.ts";
import { countInWords, sayInstant } from "../kit/dates.ts";
import type { Visit } from "../session/context.ts";

/** The last reminders with their results, and a button for those that failed. */
export function pastDeliveries(visit: Visit, past: readonly PastDelivery[], timeZone: string): Html {
  const kept = html`<p class="quiet small">Deliveries older than 30 days are forgotten.</p>`;
  if (past.length === 0) return html`<p class="quiet">No reminder was sent.</p>${kept}`;
  const item = (delivery: PastDelivery) =>
    html`<li class="card"><div class="spread"><p>${sayInstant(delivery.scheduled_at, timeZone)}
      <strong>${delivery.title ?? (delivery.habit_id === null ? "A todo that is deleted" : "A habit that is deleted")}</strong></p>
      ${delivery.canBeSentAgain && againForm(visit, delivery)}</div>
      <p class="small${isBad(delivery) && " error"}">${outcome(delivery, timeZone)}</p></li>`;
  return html`<ul class="plain reminders">${past.map(item)}</ul>${kept}`;
}

function againForm(visit: Visit, { id, todo_id, habit_id, title }: PastDelivery): Html {
  return html`<form method="post" action="/account/settings/reminders/again">${formToken(visit, { todo_id, habit_id, delivery_id: id })}
    <button class="plain">Send again<span class="unseen"> ${title}</span></button></form>`;
}

const isBad = ({ status }: PastDelivery): boolean =>
  status === "failed" || status === "missed" || status === "unsent";

function outcome(delivery: PastDelivery, timeZone: string): Html | string {
  const { channel, status, attempts, finished_at, next_attempt_at } = delivery;
  const way = channel === null ? "" : ` ${channels[channel].way}`;
  if (status === "missed") return "Missed: the service was away for more than a day when it was due.";
  if (status === "sent")
    return html`Sent${way}${finished_at && html` on ${sayInstant(finished_at, timeZone)}`}.`;
  if (status === "unsent") return "It reached nobody, because no channel was chosen when it was due.";
  const tries = attempts > 1 && `, after ${countInWords(attempts, "attempt")}`;
  if (status === "failed") return html`Could not be sent${way}${tries}. ${reasonOf(delivery)}`;
  if (status === "retrying")
    return html`Not sent${way} yet${tries}. ${reasonOf(delivery)} The next attempt is at
      ${sayInstant(next_attempt_at, timeZone)}.`;
  return "On its way.";
}

/** Earlier releases stored errors of libraries, with system calls and addresses that tell a person nothing. */
const reasonOf = ({ error }: PastDelivery): string =>
  error === null || /\bE[A-Z]{4,}\b|getaddrinfo/.test(error) ? "It could not be reached." : error;

/** The next reminders to ring. */
export function comingReminders(coming: readonly ComingReminder[], timeZone: string): Html {
  if (coming.length === 0) return html`<p class="quiet">No reminder is set.</p>`;
  const item = ({ title, remind_at }: ComingReminder) =>
    html`<li class="card"><p>${sayInstant(remind_at, timeZone)} <strong>${title}</strong></p></li>`;
  return html`<ul class="plain reminders">${coming.map(item)}</ul>`;
}
