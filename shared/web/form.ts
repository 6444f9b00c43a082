import { csrfHolds, csrfToken } from "./csrf.ts";
import { type Html, html } from "./html.ts";
import { message } from "./page.ts";
import type { FormRequest, PageHandler } from "./site.ts";

const maxFormBytes = 64 * 1024;

/** The hidden field that every form carries. */
export function formToken({ site, holder }: Pick<FormRequest, "site" | "holder">): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken(site.formKey, holder)}">`;
}

/** A page that takes a posted form. A form that our own page in this browser did not send is refused. */
export function takeForm<Visit extends FormRequest>(
  act: (visit: Visit, form: URLSearchParams) => Response | Promise<Response>,
): PageHandler<Visit> {
  return async (visit) => {
    const form = await readForm(visit);
    if (form instanceof URLSearchParams) return act(visit, form);
    return message(visit.site, "That did not work", form.text, { status: form.status });
  };
}

type FormProblem = Readonly<{ status: number; text: string }>;

const notOurs: FormProblem = {
  status: 403,
  text: "This form is too old or was not sent from this page. Go back, reload it and try again.",
};
const notAForm: FormProblem = {
  status: 415,
  text: "Forms are sent as application/x-www-form-urlencoded.",
};
const tooLong: FormProblem = { status: 413, text: "That is too much text for this form." };
const incomplete: FormProblem = { status: 400, text: "The form did not arrive as a whole. Try again." };

async function readForm({ site, request, holder }: FormRequest): Promise<URLSearchParams | FormProblem> {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== site.origin) return notOurs;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return notAForm;
  const text = await readText(request.body);
  if (typeof text !== "string") return text;
  const form = new URLSearchParams(text);
  return csrfHolds(site.formKey, holder, form.get("csrf") ?? "") ? form : notOurs;
}

/** The body as text. Reading stops at the limit, so that nobody can fill the memory. */
async function readText(body: FormRequest["request"]["body"]): Promise<string | FormProblem> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > maxFormBytes) return tooLong;
      chunks.push(chunk);
    }
  } catch {
    return incomplete;
  }
  return Buffer.concat(chunks).toString("utf8");
}
