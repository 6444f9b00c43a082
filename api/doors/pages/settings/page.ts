import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readComingReminders, readPastDeliveries } from "../../../queries/reminder/deliveries.ts";
import { readSettings } from "../../../queries/user/settings.ts";
import { type OpenWork, readOpenWorks } from "../../../queries/user/works.ts";
import { pushScript } from "../../../web/assets.ts";
import { problem } from "../../../web/form/form-fields.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { reminderWarning } from "../session/reminder-warning.ts";
import { channelForm } from "./channel-form.ts";
import { dayForm } from "./day-form.ts";
import { comingReminders, pastDeliveries } from "./past.ts";
import { pushCard } from "./push-card.ts";
import { targetCards, typedTargets } from "./target-cards.ts";
import type { RejectedForm } from "./user-settings.ts";

/** Messages after a form was saved and the browser was redirected here. */
const outcomes = new Map<string, string>([
  ["day", "Your day is saved."],
  ["reminders", "Reminders go where you chose."],
  ...typedTargets.flatMap(({ channel, title }) => [
    [channel, `${title}: saved and switched on.`] as const,
    [`no-${channel}`, `${title}: removed.`] as const,
  ]),
  ["push", "This browser shows reminders."],
  ["no-push", "That browser shows no reminders any more."],
  ["again", "It is on its way again."],
]);

/** GET /account/settings */
export async function showSettings(visit: Visit, rejected: RejectedForm = {}): Promise<PageAnswer> {
  const { context, url, query } = visit;
  const found = await query.inTurn(async (own) => ({
    settings: await readSettings(own, {}),
    coming: await readComingReminders(own),
    past: await readPastDeliveries(own),
    works: await readOpenWorks(own),
  }));
  if (isRefused(found)) return found;
  const { settings, coming, past, works } = found;
  const [warning, { publicKey }] = await Promise.all([reminderWarning(visit), context.secrets.pushKeys()]);
  const done = outcomes.get(url.searchParams.get("done") ?? "");
  const body = html`${whoIsSignedIn(visit)}
    ${done && html`<p class="note" role="status">${done}</p>`}
    ${underWay(works)}
    <h2>Your day</h2>
    ${dayForm(visit, settings)}
    <h2 id="reminders">Reminders</h2>
    ${warning}
    ${channelForm(visit, settings)}
    ${pushCard(visit, settings, rejected, publicKey)}
    ${targetCards(visit, settings, rejected)}
    <h2 id="coming">Coming reminders</h2>
    ${comingReminders(coming, settings.time_zone)}
    <h2 id="past">Past reminders</h2>
    ${problem(rejected.again)}
    ${pastDeliveries(visit, past, settings.time_zone)}
    <h2>Your data</h2>
    <p><a href="/account/data">Export, import and a calendar feed</a></p>`;
  const status = rejected.target ? 422 : rejected.again || rejected.browser ? 409 : 200;
  const scripts = [pushScript];
  return accountPage(visit, { title: "Settings", body, scripts }, { status });
}

function whoIsSignedIn({ context: { config }, session }: Visit): Html {
  const profile =
    config.builtInIdentity && html` <a href="/profile">Account: e-mail address, password and sessions</a>.`;
  return html`<p class="quiet lead">You are signed in${session.email && html` as ${session.email}`}.${profile}
    <a href="/account/connect">Connect an agent</a></p>`;
}

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
