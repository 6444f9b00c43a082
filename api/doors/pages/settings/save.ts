import { mayBePublic } from "../../../../shared/domain/public-address.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { keptWaiting } from "../../../http/request.ts";
import { readSettings } from "../../../queries/user/settings.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Visit } from "../session/context.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { submit } from "../session/submit.ts";
import { showSettings } from "./page.ts";
import type { TypedTarget } from "./target-cards.ts";
import { resolvesToPrivate } from "./webhook-host.ts";

/** POST /account/settings/day */
export async function saveDay(visit: Visit, form: URLSearchParams): Promise<Response> {
  return save(visit, "day", {
    time_zone: form.get("time_zone") ?? undefined,
    day_start_hour: Number(form.get("day_start_hour")),
  });
}

/** POST /account/settings/reminders */
export async function saveChannel(visit: Visit, form: URLSearchParams): Promise<Response> {
  return save(visit, "reminders", { reminder_channel: form.get("reminder_channel") ?? "" });
}

/** POST /account/settings/webhook, and likewise for each channel with an address: an empty one removes it. */
export const saveTarget =
  ({ channel, column }: TypedTarget) =>
  async (visit: Visit, form: URLSearchParams): Promise<Response> => {
    const value = (form.get(column) ?? "").trim();
    const rejected = (error: string) => showSettings(visit, { target: { channel, value, error } });
    const error = await privateTarget(visit, value);
    if (error) return rejected(error);
    const outcome = await submit(visit, "user.configure", { [column]: value || null });
    if (!isRefused(outcome)) return seeOther(`/account/settings?done=${value ? "" : "no-"}${channel}`);
    const [wrong] = outcome.refusal.errors?.[column] ?? [];
    if (!wrong) return refusalPage(visit.context, outcome.refusal);
    return rejected(value ? wrong.replace(/^The \w+ field/, "This") : inUse);
  };

const inUse = "Reminders go to it: choose another way for them above before you remove it.";
const notHere = "This must be a public https address: reminders are not sent to this machine.";
const notPublic = "This must be a public https address: its name leads into a private network.";

/** @returns the reason not to send to this address; the contract checks its form */
async function privateTarget({ context }: Visit, url: string): Promise<string | undefined> {
  const { webhookAllowLoopback } = context.config;
  const host = URL.parse(url)?.hostname;
  if (host === undefined || !mayBePublic(host, true)) return undefined;
  if (!mayBePublic(host, webhookAllowLoopback)) return notHere;
  return (await resolvesToPrivate(host, webhookAllowLoopback)) ? notPublic : undefined;
}

/** POST /account/settings/webhook/test: waits a moment, so that the page can show the result. */
export async function sendTest(visit: Visit): Promise<Response> {
  const outcome = await submit(visit, "webhook.test", {});
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  await testFinished(visit);
  return seeOther("/account/settings#webhook");
}

const patienceMs = 3_000;
const lookEveryMs = 150;

async function testFinished({ context, session, request }: Visit): Promise<void> {
  keptWaiting(request);
  for (const since = Date.now(); Date.now() - since < patienceMs; ) {
    await Bun.sleep(lookEveryMs);
    const query = context.query({ userId: session.sub });
    const settings = await query.inTurn((own) => readSettings(own, {}), false);
    if (isRefused(settings) || settings.webhook_test?.finished_at) return;
  }
}

async function save(visit: Visit, done: string, fields: Record<string, unknown>): Promise<Response> {
  const outcome = await submit(visit, "user.configure", fields);
  return isRefused(outcome)
    ? refusalPage(visit.context, outcome.refusal)
    : seeOther(`/account/settings?done=${done}`);
}
