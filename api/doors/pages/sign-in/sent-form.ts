import { html } from "../../../../shared/html.ts";
import { isOwnersToken } from "../../../web/form/csrf.ts";
import { hiddenFields, isFromHere, readForm } from "../../../web/form/form.ts";
import { page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import { askAgain, type SentForm, sentText } from "../session/ask-again.ts";
import type { Guest, PagesContext, Visit } from "../session/context.ts";
import { type SealedCookie, sealedCookie } from "../session/sealed-cookie.ts";
import { signInAddress } from "./sign-in.ts";

/** The address that a sign-in leads to if it began with a form. */
export const sentPath = "/account/sent";

const lifetimeSeconds = 30 * 60;
/** Browsers keep this many bytes of a cookie's name, value and attributes. */
const mostCookieBytes = 4_000;

type Kept = { path: string; fields: [name: string, value: string][] };

function sentCookie({ config, keys }: Pick<PagesContext, "config" | "keys">): SealedCookie<Kept> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_sent", key: keys.sent, lifetimeSeconds, secure });
}

/**
 * Keeps a form that was sent after its session had ended: in a sealed cookie during the sign-in, or on the page itself
 * if it is too long. Nothing is carried out before its owner has signed in and confirmed.
 */
export async function keepSentForm(guest: Guest, proof?: "fresh"): Promise<Response | undefined> {
  const { pathname, search } = guest.url;
  // Scripts keep what they send until it is answered.
  if (!isFromHere(guest) || guest.request.headers.has("x-stay")) return undefined;
  const form = await readForm(guest);
  if (!(form instanceof URLSearchParams)) return undefined;
  const path = `${pathname}${search}`;
  const cookie = await sentCookie(guest.context).seal({ path, fields: [...form] });
  if (Buffer.byteLength(cookie) > mostCookieBytes) return holdPage(guest, { path, form });
  return seeOther(signInAddress(guest.context, sentPath, proof), [cookie]);
}

/** The page that holds a long text while its person signs in beside it: the old token still names its owner. */
function holdPage({ site }: Guest, { path, form }: SentForm): Response {
  const body = html`<div class="note warn" role="status"><p>You were signed out meanwhile. What you sent is kept on this
    page: leave it open, <a href="/account/sign-in" target="_blank" rel="noopener">sign in on another one</a>, and then
    go on here.</p></div>${sentText(form)}
    <form method="post" action="${path}" class="actions"><input type="hidden" name="csrf" value="${form.get("csrf")}">
    ${hiddenFields(form, "csrf")}<button>Go on</button></form>`;
  return page(site, { title: "You are signed out", body }, { status: 403 });
}

/** GET /account/sent: shows the form sent before the sign-in to the person who sent it. */
export async function showSentForm(visit: Visit): Promise<Response> {
  const { site, session } = visit;
  const kept = await sentCookie(visit.context).open(visit.request);
  const form = new URLSearchParams(kept?.fields);
  const isOwn = isOwnersToken(site.formKeys, session.sub, form.get("csrf") ?? "");
  return kept && isOwn ? askAgain(visit, { path: kept.path, form }) : seeOther("/account");
}
