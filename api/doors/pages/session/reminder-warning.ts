import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readReminderTarget } from "../../../queries/reminder/read.ts";
import type { Visit } from "./context.ts";

/** A warning for pages with reminders, if some are due to ring but would reach nobody. */
export async function reminderWarning({ context, session }: Visit): Promise<Html | undefined> {
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const target = await query.inTurn((own) => readReminderTarget(own));
  if (isRefused(target)) return undefined;
  const { channel, is_off, has_coming } = target;
  const reason = has_coming ? whyNowhere(channel, is_off, context.config.smtpUrl !== undefined) : undefined;
  if (reason === undefined) return undefined;
  return html`<p class="note warn">You have reminders, and they reach nobody: ${reason}
    <a href="/account/settings#reminders">Choose where they go</a>.</p>`;
}

function whyNowhere(channel: string, isOff: boolean, canMail: boolean): string | undefined {
  if (channel === "log") return "they are only noted in the log of this server.";
  if (channel === "email" && !canMail) return "this server sends no e-mail.";
  if (channel === "webhook" && isOff) return "the webhook is switched off, because it failed for a day.";
  return undefined;
}
