import { type Html, html } from "../../../../shared/html.ts";
import type { ComingReminder } from "../../../queries/reminder/deliveries.ts";
import { sayInstant } from "./instant.ts";

/** The next reminders to ring. */
export function comingReminders(coming: readonly ComingReminder[], timeZone: string): Html {
  if (coming.length === 0) return html`<p class="quiet">No reminder is set.</p>`;
  const item = ({ title, remind_at }: ComingReminder) =>
    html`<li class="card"><p>${sayInstant(remind_at, timeZone)} <strong>${title}</strong></p></li>`;
  return html`<ul class="plain reminders">${coming.map(item)}</ul>`;
}
