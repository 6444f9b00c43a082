import { mostBrowsers } from "../../../../shared/domain/reminder/channels.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem } from "../../../web/form/form-fields.ts";
import type { Visit } from "../session/context.ts";
import { lastTest, testForm } from "./channel-test.ts";
import type { RejectedForm, UserSettings } from "./user-settings.ts";

export const pushPath = "/account/settings/push";

/** The browsers that show reminders. `push.js` shows the button where the browser can do that. */
export function pushCard(
  visit: Visit,
  settings: UserSettings,
  { browser: error }: RejectedForm,
  publicKey: string,
): Html {
  const { browsers } = settings;
  const isFull = browsers.length >= mostBrowsers;
  return html`<h2 id="push">Browsers</h2>
    <div class="card"><p class="quiet small">A browser shows reminders as notifications of the system, also when no page
      of Kept is open. On an iPhone, add Kept to the home screen first.</p>
    ${problem(error)}
    ${browsers.length > 0 && html`<ul class="plain">${browsers.map((one) => browserItem(visit, one))}</ul>`}
    ${isFull && html`<p class="quiet small">There can be ${mostBrowsers}. Remove one to add another.</p>`}
    ${!isFull && addForm(visit, publicKey)}
    ${
      browsers.length > 0 &&
      html`<dl class="facts"><dt>Last test</dt><dd>${lastTest(settings, "push")}</dd></dl>${testForm(visit, "push")}`
    }</div>`;
}

const addForm = (visit: Visit, publicKey: string): Html =>
  html`<form method="post" action="${pushPath}" id="push-form" data-key="${publicKey}">
    ${formToken(visit)}
    ${["endpoint", "p256dh", "auth"].map((name) => html`<input type="hidden" name="${name}">`)}
    <button hidden>Show reminders in this browser</button>
    <p class="quiet small" role="status">This browser cannot show them: it needs scripts, https and permission.</p></form>`;

const browserItem = (visit: Visit, { id, browser }: UserSettings["browsers"][number]): Html =>
  html`<li class="spread"><p>${browser}</p>
    <form method="post" action="${pushPath}/remove">${formToken(visit, { id })}
    <button class="plain">Remove<span class="unseen"> ${browser}</span></button></form></li>`;
