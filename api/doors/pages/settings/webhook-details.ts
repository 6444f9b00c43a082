import { type Html, html } from "../../../../shared/html.ts";
import { countInWords } from "../kit/dates.ts";
import type { Visit } from "../session/context.ts";
import { lastTest, testForm } from "./channel-test.ts";
import { sayInstant } from "./instant.ts";
import type { UserSettings } from "./user-settings.ts";
import { webhookSample } from "./webhook-sample.ts";

/** The webhook's secret, whether it works, and a button that sends a test. */
export function webhookDetails(visit: Visit, settings: UserSettings): Html {
  return html`<dl class="facts"><dt>State</dt><dd>${state(settings)}</dd>
    <dt>Last test</dt><dd>${lastTest(settings, "webhook")}</dd></dl>
    ${testForm(visit, "webhook")}
    <details><summary>Show the signing secret</summary>
    <p class="quiet small">The receiver checks signatures with it. Another address gets another secret.</p>
    <p><code class="secret">${settings.webhook_secret}</code></p></details>
    ${webhookSample()}`;
}

function state({ webhook_failures, webhook_disabled_at, time_zone }: UserSettings): Html | string {
  if (webhook_disabled_at)
    return html`<strong class="error">Switched off</strong> on ${sayInstant(webhook_disabled_at, time_zone)}, because it
      failed for a day`;
  if (webhook_failures > 0) return html`On, with ${countInWords(webhook_failures, "failure")} in a row`;
  return "On";
}
