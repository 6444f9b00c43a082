import { channels } from "../../../../shared/domain/reminder/channels.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import {
  type ComingReminder,
  type PastDelivery,
  readComingReminders,
  readPastDeliveries,
} from "../../../queries/reminder/read.ts";
import { type OpenWork, readOpenWorks, readSettings } from "../../../queries/user/read.ts";
import { pushScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem, selectField, zoneField } from "../../../web/form/form-fields.ts";
import { countInWords, sayInstant } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage, reminderWarning } from "../session/frame.ts";
import type { RejectedForm, UserSettings } from "./channels.ts";
import { channelForm, pushCard, targetCards, typedTargets } from "./channels.ts";

/** Messages after a form was saved and the browser was redirected here. */
const outcomes = new Map<string, string>([
  ["day", "Saved."],
  ["reminders", "Reminders go where you chose."],
  ["no-reminders", "Reminders are off."],
  ...typedTargets.flatMap(({ channel, title }) => [
    [channel, `${title}: saved and switched on.`] as const,
    [`no-${channel}`, `${title}: removed.`] as const,
  ]),
  ["push", "This browser shows reminders."],
  ["no-push", "That browser shows no reminders any more."],
  ["again", "It is on its way again."],
]);

const saidOn = ({ url }: Visit): Html | undefined => {
  const done = outcomes.get(url.searchParams.get("done") ?? "");
  return done === undefined ? undefined : html`<p class="note" role="status">${done}</p>`;
};

/** GET /account/settings: where reminders go, and how they went. */
export async function showReminders(visit: Visit, rejected: RejectedForm = {}): Promise<PageAnswer> {
  const { context, query } = visit;
  const found = await query.inTurn(async (own) => ({
    settings: await readSettings(own, {}),
    coming: await readComingReminders(own),
    past: await readPastDeliveries(own),
  }));
  if (isRefused(found)) return found;
  const { settings, coming, past } = found;
  const [warning, { publicKey }] = await Promise.all([reminderWarning(visit), context.secrets.pushKeys()]);
  const body = html`${saidOn(visit)}${warning}
    ${channelForm(visit, settings)}
    <h2>Ways for reminders</h2>
    ${pushCard(visit, settings, rejected, publicKey)}
    ${targetCards(visit, settings, rejected)}
    <h2 id="coming">Coming reminders</h2>
    ${comingReminders(coming, settings.time_zone)}
    <h2 id="past">Past reminders</h2>
    ${problem(rejected.again)}
    ${pastDeliveries(visit, past, settings.time_zone)}`;
  const status = rejected.target ? 422 : rejected.again || rejected.browser ? 409 : 200;
  const scripts = [pushScript];
  return accountPage(visit, { title: "Reminders", lead: whoIsSignedIn(visit), body, scripts }, { status });
}

/** GET /account/settings/day: when days and weeks begin, and how the pages look. */
export async function showDay(visit: Visit): Promise<PageAnswer> {
  const { query } = visit;
  const found = await query.inTurn(async (own) => ({
    settings: await readSettings(own, {}),
    works: await readOpenWorks(own),
  }));
  if (isRefused(found)) return found;
  const body = html`${saidOn(visit)}${underWay(found.works)}${dayForm(visit, found.settings)}`;
  return accountPage(visit, { title: "Settings", lead: whoIsSignedIn(visit), body });
}

const whoIsSignedIn = ({ session }: Visit): Html =>
  html`<p class="quiet lead">You are signed in${session.email && html` as ${session.email}`}.</p>`;

const sentences: Readonly<Record<string, string>> = {
  "user.configure": "Your reminders are moving to your time zone",
  "action.undo": "The members of a category are coming back",
  "action.undo-run": "Changes are being taken back",
  "import.apply": "A file is being imported",
  "category.delete": "A deleted category is being taken from its todos",
};

/** The progress of long work, which goes on even if nobody looks. */
const underWay = (works: readonly OpenWork[]): Html[] =>
  works.map(({ name, done, total }) => {
    const sentence = sentences[name] ?? "Something that you asked for is under way";
    return html`<p class="note" role="status">${sentence}: ${done.toLocaleString("en")} of
      ${total.toLocaleString("en")} are done.</p>`;
  });

const hours = ["Midnight", "1 a.m.", "2 a.m.", "3 a.m.", "4 a.m.", "5 a.m.", "6 a.m."];

const themeLabels = { system: "As on this device", light: "Light", dark: "Dark" };
const weekLabels = { language: "As in my language", mon: "Monday", sat: "Saturday", sun: "Sunday" };

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The form for the person's zone, day and week, and for the colours of the pages. */
function dayForm(visit: Visit, { time_zone, day_start_hour, week_start, theme }: UserSettings): Html {
  return html`<form method="post" action="/account/settings/day" class="card">${formToken(visit)}
    ${selectField({ name: "theme", label: "Colours", value: theme, options: optionsOf(themeLabels) })}
    ${selectField({ name: "week_start", label: "Weeks start on", value: week_start, options: optionsOf(weekLabels) })}
    ${zoneField(time_zone)}
    ${selectField({
      name: "day_start_hour",
      label: "A new day starts at",
      value: String(day_start_hour),
      options: hours.map((label, hour) => ({ value: String(hour), label })),
      hint: html`For people who finish after midnight. Changing this or the zone breaks no streak.`,
    })}
    <button>Save</button></form>`;
}

/** The last reminders with their results, and a button for those that failed. */
function pastDeliveries(visit: Visit, past: readonly PastDelivery[], timeZone: string): Html {
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
  if (status === "unsent") return "Nobody was reminded, because no channel was chosen.";
  const tries = attempts > 1 && `, after ${countInWords(attempts, "attempt")}`;
  if (status === "failed") return html`Could not be sent${way}${tries}. ${reasonOf(delivery)}`;
  if (status === "retrying" && attempts === 0)
    return html`Put off until ${sayInstant(next_attempt_at, timeZone)}.`;
  if (status === "retrying")
    return html`Not sent${way} yet${tries}. ${reasonOf(delivery)} The next attempt is at
      ${sayInstant(next_attempt_at, timeZone)}.`;
  return "On its way.";
}

/** Earlier releases stored errors of libraries, with system calls and addresses that tell a person nothing. */
const reasonOf = ({ error }: PastDelivery): string =>
  error === null || /\bE[A-Z]{4,}\b|getaddrinfo/.test(error) ? "It could not be reached." : error;

/** The next reminders to ring. */
function comingReminders(coming: readonly ComingReminder[], timeZone: string): Html {
  if (coming.length === 0) return html`<p class="quiet">No reminder is set.</p>`;
  const item = ({ title, remind_at }: ComingReminder) =>
    html`<li class="card"><p>${sayInstant(remind_at, timeZone)} <strong>${title}</strong></p></li>`;
  return html`<ul class="plain reminders">${coming.map(item)}</ul>`;
}
