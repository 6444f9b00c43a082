import { type Refused, refuse } from "../../shared/errors.ts";
import { csrfHolds, csrfToken } from "../../shared/web/csrf.ts";
import { type Html, html } from "../../shared/web/html.ts";
import { readText } from "../http/body.ts";
import type { Visit } from "./visit/context.ts";

/** The hidden field that every form carries. */
export function formToken({ context, session }: Pick<Visit, "context" | "session">): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken(context.keys.forms, session.sid)}">`;
}

const strange = refuse(
  "insufficient_scope",
  "This form is too old or was not sent from this page. Go back, reload it and try again.",
);
const notAForm = refuse("unsupported_media_type", "Forms are sent as application/x-www-form-urlencoded.");

/** A posted form, refused when it was not sent by our own page in this session. */
export async function readForm({ context, request, session }: Visit): Promise<URLSearchParams | Refused> {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== new URL(context.config.baseUrl).origin) return strange;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return notAForm;
  const text = await readText(request);
  if (typeof text !== "string") return text;
  const form = new URLSearchParams(text);
  return csrfHolds(context.keys.forms, session.sid, form.get("csrf") ?? "") ? form : strange;
}
