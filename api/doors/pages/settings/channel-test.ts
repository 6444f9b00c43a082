import type { ReminderChannel } from "../../../../shared/domain/reminder/channels.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { keptWaiting } from "../../../http/request.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { seeOther } from "../../../web/redirect.ts";
import { sayInstant } from "../kit/dates.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import type { UserSettings } from "./user-settings.ts";

export const testForm = (visit: Visit, channel: ReminderChannel): Html =>
  html`<form method="post" action="/account/settings/test">${formToken(visit, { channel })}<button class="plain">Send a test</button></form>`;

/** The result of the last test, if it went by this channel. */
export function lastTest({ test, time_zone }: UserSettings, channel: ReminderChannel): Html | string {
  if (test?.channel !== channel) return "Never";
  const { status, error, created_at, finished_at } = test;
  const at = sayInstant(finished_at ?? created_at, time_zone);
  if (status === "sent") return html`Delivered on ${at}`;
  if (status === "failed" || status === "cancelled") return html`Failed on ${at}${error && html`: ${error}`}`;
  return html`On its way since ${at}${error && html`, so far: ${error}`}.
    <a href="/account/settings#${channel}">Look again</a>`;
}

/** POST /account/settings/test: waits a moment, so that the page can show the result. */
export async function sendTest(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const channel = form.get("channel") ?? "webhook";
  const outcome = await submit(visit, "webhook.test", { channel });
  if (isRefused(outcome)) return outcome;
  await testFinished(visit);
  return seeOther(`/account/settings#${channel}`);
}

const patienceMs = 3_000;
const lookEveryMs = 150;

async function testFinished({ query, request }: Visit): Promise<void> {
  keptWaiting(request);
  for (const since = Date.now(); Date.now() - since < patienceMs; ) {
    await Bun.sleep(lookEveryMs);
    const settings = await query.inTurn((own) => readSettings(own, {}));
    if (isRefused(settings) || settings.test?.finished_at) return;
  }
}
