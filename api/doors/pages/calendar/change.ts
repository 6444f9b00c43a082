import { isRefused } from "../../../../shared/errors.ts";
import { newSecret } from "../../../web/key-ring.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Visit } from "../session/context.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { submit } from "../session/submit.ts";
import { hashOf } from "./address.ts";
import { madeCookie } from "./made-cookie.ts";

/** POST /account/data/calendar: makes an address in place of any earlier one, or ends the feed. */
export async function changeFeed(visit: Visit, form: URLSearchParams): Promise<Response> {
  const isEnd = form.get("do") === "end";
  const secret = newSecret();
  const outcome = await submit(visit, "calendar.set", { secret_hash: isEnd ? null : hashOf(secret) });
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  const cookie = madeCookie(visit.context);
  return seeOther("/account/data#calendar", [isEnd ? cookie.clear() : await cookie.seal({ secret })]);
}
