import { isRefused } from "../../../../shared/errors.ts";
import { browserName } from "../../../http/browser-name.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import { showSettings } from "./page.ts";

/** POST /account/settings/push */
export async function addBrowser(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const [endpoint, p256dh, auth] = ["endpoint", "p256dh", "auth"].map((name) => form.get(name) ?? "");
  const browser = browserName(visit.request.headers.get("user-agent") ?? "");
  const outcome = await submit(visit, "push.subscribe", { endpoint, p256dh, auth, browser });
  if (!isRefused(outcome)) return seeOther("/account/settings?done=push#push");
  const { code, message } = outcome.refusal;
  return code === "conflict" || code === "invalid" ? showSettings(visit, { browser: message }) : outcome;
}

/** POST /account/settings/push/remove */
export async function removeBrowser(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const outcome = await submit(visit, "push.unsubscribe", { id: form.get("id") ?? "" });
  return isRefused(outcome) ? outcome : seeOther("/account/settings?done=no-push#push");
}
