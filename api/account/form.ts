import { type Refused, refuse } from "../../shared/errors.ts";
import { csrfHolds, csrfToken } from "../../shared/web/csrf.ts";
import { type Html, html } from "../../shared/web/html.ts";
import { readText } from "../http/body.ts";
import { isForm } from "../http/media-type.ts";
import type { Visit } from "./context.ts";

/** The hidden field that every form carries. */
export function formToken({ account, session }: Pick<Visit, "account" | "session">): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken(account.keys.forms, session.sid)}">`;
}

const strange = refuse(
  "insufficient_scope",
  "This form is too old or was not sent from this page. Go back, reload it and try again.",
);
const notAForm = refuse("unsupported_media_type", "Forms are sent as application/x-www-form-urlencoded.");

/** A posted form, refused when it was not sent by our own page in this session. */
export async function readForm({ account, request, session }: Visit): Promise<URLSearchParams | Refused> {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== new URL(account.config.baseUrl).origin) return strange;
  if (!isForm(request)) return notAForm;
  const text = await readText(request);
  if (typeof text !== "string") return text;
  const form = new URLSearchParams(text);
  return csrfHolds(account.keys.forms, session.sid, form.get("csrf") ?? "") ? form : strange;
}
