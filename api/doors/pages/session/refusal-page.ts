import type { Refusal } from "../../../../shared/errors.ts";
import { statusOf } from "../../../http/response.ts";
import { message } from "../../../web/page.ts";
import type { PagesContext } from "./context.ts";

/** The page that shows a refusal. */
export function refusalPage({ site }: Pick<PagesContext, "site">, refusal: Refusal): Response {
  const { code, message: text, retryAfterSeconds } = refusal;
  const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return message(site, "That did not work", text, { status: statusOf(code), headers });
}
