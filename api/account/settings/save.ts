import { mayBePublic } from "../../../shared/domain/public-address.ts";
import * as user from "../../queries/user.ts";
import { carryOut } from "../carry-out.ts";
import type { Visit } from "../context.ts";
import { refusalPage, seeOther } from "../respond.ts";
import { showSettings } from "./page.ts";

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

/** POST /account/settings/webhook: an empty address removes it. */
export async function saveWebhook(visit: Visit, form: URLSearchParams): Promise<Response> {
  const url = (form.get("webhook_url") ?? "").trim();
  if (leadsHere(url) && !visit.account.config.webhookAllowLoopback)
    return showSettings(visit, { webhook: { url, error: notHere } });
  const outcome = await carryOut(visit, "user.configure", { webhook_url: url || null });
  if (!("refusal" in outcome)) return seeOther(`/account/settings?done=${url ? "" : "no-"}webhook`);
  const [error] = outcome.refusal.errors?.webhook_url ?? [];
  if (!error) return refusalPage(visit.account, outcome.refusal);
  const inUse = "Reminders go to it: choose another way for them above before you remove it.";
  return showSettings(visit, {
    webhook: { url, error: url ? error.replace(/^The \w+ field/, "This") : inUse },
  });
}

const notHere = "This must be a public https address: reminders are not sent to this machine.";

/** By name or in figures; whatever else is no address of a webhook, its contract says. */
function leadsHere(url: string): boolean {
  const host = URL.parse(url)?.hostname;
  return host !== undefined && mayBePublic(host, true) && !mayBePublic(host, false);
}

/** POST /account/settings/webhook/test: waits a moment for the result, which the page shows whenever it is there. */
export async function sendTest(visit: Visit): Promise<Response> {
  const outcome = await carryOut(visit, "webhook.test", {});
  if ("refusal" in outcome) return refusalPage(visit.account, outcome.refusal);
  await testFinished(visit);
  return seeOther("/account/settings#webhook");
}

const patienceMs = 3_000;
const lookEveryMs = 150;

async function testFinished({ account, session }: Visit): Promise<void> {
  for (const since = Date.now(); Date.now() - since < patienceMs; ) {
    await Bun.sleep(lookEveryMs);
    const settings = await user.settings(account.query({ userId: session.sub }), {});
    if (settings.webhook_test?.finished_at) return;
  }
}

async function save(visit: Visit, done: string, fields: Record<string, unknown>): Promise<Response> {
  const outcome = await carryOut(visit, "user.configure", fields);
  return "refusal" in outcome
    ? refusalPage(visit.account, outcome.refusal)
    : seeOther(`/account/settings?done=${done}`);
}
