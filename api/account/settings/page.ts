import type { Static } from "typebox";
import type { getSettings } from "../../../shared/contracts/user.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import * as user from "../../queries/user.ts";
import type { Visit } from "../context.ts";
import { frame } from "../frame.ts";
import { page } from "../respond.ts";
import { channelForm } from "./channel-form.ts";
import { dayForm } from "./day-form.ts";
import { webhookCard } from "./webhook-card.ts";

export type Settings = Static<typeof getSettings.output>;

/** What a form that was not accepted brought, and what is wrong with it. */
export type Attempt = Readonly<{ webhook?: { url: string; error: string } }>;

/** What the page says after a form was saved and the browser was sent back here. */
const outcomes = new Map([
  ["day", "Your day is saved."],
  ["reminders", "Reminders go where you chose."],
  ["webhook", "The webhook is saved and switched on."],
  ["no-webhook", "The webhook is removed."],
]);

/** GET /account/settings */
export async function showSettings(visit: Visit, attempt: Attempt = {}): Promise<Response> {
  const { account, session, url } = visit;
  const settings = await user.settings(account.query({ userId: session.sub }), {});
  const done = outcomes.get(url.searchParams.get("done") ?? "");
  const body = html`${whoIsSignedIn(visit)}
    ${done && html`<p class="note" role="status">${done}</p>`}
    <h2>Your day</h2>
    ${dayForm(visit, settings)}
    <h2>Reminders</h2>
    ${channelForm(visit, settings)}
    <h2 id="webhook">Webhook</h2>
    ${webhookCard(visit, settings, attempt)}`;
  const status = Object.keys(attempt).length > 0 ? 422 : 200;
  return page(account, { title: "Settings", body, ...frame(visit) }, { status });
}

function whoIsSignedIn({ account: { config }, session }: Visit): Html {
  const profile =
    config.builtInIdentity && html` <a href="${config.authUrl}/profile">E-mail address and password</a>`;
  return html`<p class="quiet lead">You are signed in${session.email && html` as ${session.email}`}.${profile}</p>`;
}
