import { createHmac, timingSafeEqual } from "node:crypto";
import { type Html, html } from "../../../shared/html.ts";
import { readBounded } from "../../http/input.ts";
import type { KeyRing } from "../key-ring.ts";
import { message } from "../page.ts";
import type { FormRequest, PageHandler, PageRequest } from "../site.ts";

const maxFormBytes = 64 * 1024;

/** Fields that a form sends unseen; those that are null are left out. */
type HiddenFields = Readonly<Record<string, string | number | null | undefined>>;

const hidden = (fields: HiddenFields): Html =>
  html`${Object.entries(fields).map(([name, value]) => value != null && html`<input type="hidden" name="${name}" value="${value}">`)}`;

type Tokens = Readonly<{ holder: string; csrf: string }>;
const tokens = new WeakMap<object, Tokens>();

/**
 * The hidden token that every form carries, and the other hidden fields of this form. All forms of an answer share
 * theirs, so that it compresses.
 */
export function formToken(
  { request, site, holder, owner }: Pick<FormRequest, "request" | "site" | "holder" | "owner">,
  fields: HiddenFields = {},
): Html {
  const known = tokens.get(request);
  const csrf = known?.holder === holder ? known.csrf : csrfToken(site.formKeys, holder, owner);
  tokens.set(request, { holder, csrf });
  return hidden({ csrf, ...fields });
}

/** The fields of a sent form but these, to be sent again. */
export const hiddenFields = (form: URLSearchParams, ...but: string[]): Html =>
  html`${[...form].map(([name, value]) => !but.includes(name) && hidden({ [name]: value }))}`;

/**
 * Makes a page that takes a posted form. It accepts only forms from Kept's own page in this browser. A form from an
 * earlier session of the same person is shown again if the visit can do that.
 */
export function takeForm<Visit extends FormRequest, Answer = Response>(
  act: (visit: Visit, form: URLSearchParams) => Answer | Promise<Answer>,
): PageHandler<Visit, Answer | Response> {
  return async (visit) => {
    const form = await readForm(visit);
    if (!(form instanceof URLSearchParams)) return problemPage(visit, form);
    const { site, holder, owner, askAgain } = visit;
    const token = form.get("csrf") ?? "";
    if (csrfHolds(site.formKeys, holder, token)) return act(visit, form);
    const isOwn = owner !== undefined && isFromHere(visit) && isOwnersToken(site.formKeys, owner, token);
    // Scripts send a change until it is answered, also after the session in which the person made it.
    if (isOwn && visit.request.headers.has("x-stay")) return act(visit, form);
    return isOwn && askAgain ? askAgain(form) : problemPage(visit, notOurs);
  };
}

export type FormProblem = Readonly<{ status: number; text: string }>;

export const notOurs: FormProblem = {
  status: 403,
  text: "This form is too old or was not sent from this page. Go back, reload it and try again.",
};
const notAForm: FormProblem = {
  status: 415,
  text: "Forms are sent as application/x-www-form-urlencoded.",
};
const tooLong: FormProblem = { status: 413, text: "That is too much text for this form." };
const incomplete: FormProblem = { status: 400, text: "The form did not arrive as a whole. Try again." };

export const problemPage = ({ site }: PageRequest, { text, status }: FormProblem): Response =>
  message(site, "That did not work", text, { status });

/** True if the browser says that a page of this site sent the form. Current browsers say so for every form. */
export const isFromHere = ({ site, request }: PageRequest): boolean =>
  request.headers.get("origin") === site.origin;

/** The sent form. Only its token proves that the person meant it. */
export async function readForm(visit: PageRequest): Promise<URLSearchParams | FormProblem> {
  const { request } = visit;
  if (request.headers.has("origin") && !isFromHere(visit)) return notOurs;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return notAForm;
  if (Number(request.headers.get("content-length")) > maxFormBytes) return tooLong;
  const body = await readBounded(request.body, maxFormBytes);
  if (typeof body === "string") return body === "too-long" ? tooLong : incomplete;
  return new URLSearchParams(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body));
}

const lifetimeMs = 12 * 60 * 60 * 1000;

/**
 * A token for a form that only this browser (or session) can send back, within 12 hours.
 * @param owner the person of the page; their mark is added, which outlives the session
 */
export function csrfToken([key]: KeyRing<string>, holder: string, owner?: string): string {
  const token = Bun.CSRF.generate(`${key}.${holder}`, { expiresIn: lifetimeMs, encoding: "base64url" });
  return owner === undefined ? token : `${token}.${ownerMark(key, owner)}`;
}

/** True if `csrfToken` made the token for the same holder and it has not expired. */
export function csrfHolds(keys: KeyRing<string>, holder: string, token: string): boolean {
  const [own = ""] = token.split(".");
  const verify = (secret: string) =>
    Bun.CSRF.verify(own, { secret, maxAge: lifetimeMs, encoding: "base64url" });
  return own !== "" && keys.some((key) => verify(`${key}.${holder}`));
}

/**
 * True if a token of any age was made for a page of this person. It proves who sent a form, not that they mean it now.
 */
export function isOwnersToken(keys: KeyRing<string>, owner: string, token: string): boolean {
  const given = Buffer.from(token.split(".")[1] ?? "");
  const marks = keys.map((key) => Buffer.from(ownerMark(key, owner)));
  return marks.some((own) => own.length === given.length && timingSafeEqual(own, given));
}

const ownerMark = (key: string, owner: string): string =>
  createHmac("sha256", key).update(`owner ${owner}`).digest("base64url").slice(0, 22);
