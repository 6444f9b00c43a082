import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { formToken, hiddenFields, isFromHere, isOwnersToken, readForm } from "../../../web/form/form.ts";
import { page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Guest, PagesContext, Visit } from "./context.ts";
import { accountPage } from "./frame.ts";
import { signInAddress } from "./go-on.ts";
import { sealedCookie } from "./sealed-cookie.ts";

/** A sent form and its address. */
type SentForm = Readonly<{ path: string; form: URLSearchParams }>;

/** Shows a form that was not carried out, and carries it out when the person confirms. */
export async function askAgain(visit: Visit, sent: SentForm): Promise<Response> {
  const asked = await sayAsked(visit, sent);
  const body = html`<div class="note warn" role="status"><p>Nothing was done yet: the page from which you sent this was
    too old, or you had to sign in again. It is all here.</p></div>
    ${asked && html`<p>Go on with: <strong>${asked}</strong>?</p>`}${sentText(sent.form)}
    <form method="post" action="${sent.path}" class="actions">${formToken(visit)}${hiddenFields(sent.form, "csrf")}
    <button>Go on</button> <a href="/account">Leave it</a></form>`;
  return accountPage(visit, { title: "Go on?", body }, { status: 409 });
}

/** Visible fields only, no ids. */
function sentText(form: URLSearchParams): Html | false {
  const typed = [...form].filter(([name, value]) => value.trim() !== "" && !isForUs.test(name));
  const facts = typed.map(
    ([name, value]) => html`<dt>${name.replaceAll("_", " ")}</dt><dd><pre class="lines">${value}</pre></dd>`,
  );
  return facts.length > 0 && html`<dl class="facts card">${facts}</dl>`;
}

const isForUs =
  /^(csrf|key|tag|base|from|next|day|at|done|called_at|(habit|todo|delivery|request|token|import)_id)$/;

/** The action of a form, for forms whose text does not tell it. */
async function sayAsked(visit: Visit, { path, form }: SentForm): Promise<string | undefined> {
  const [, kind, id] = /^\/account\/(habit|todo)s\/(\d{1,15})/.exec(path) ?? thingIn(form);
  const of = kind === "habit" ? "habit" : "todo";
  const found = id !== undefined && (await visit.query.inTurn((own) => readName(own, of, Number(id))));
  const name = !found || isRefused(found) ? undefined : found.name;
  const verb = path === "/account/tick" ? (form.get("done") === "yes" ? "Done" : "Undo") : verbIn(path);
  if (verb === undefined) return name;
  return name === undefined ? verb : `${verb}: ${name}`;
}

const thingIn = (form: URLSearchParams): readonly (string | undefined)[] => {
  const kind = form.has("habit_id") ? "habit" : "todo";
  return ["", kind, /^\d{1,15}$/.exec(form.get(`${kind}_id`) ?? "")?.[0]];
};

const verbs = new Map([
  ["delete", "Delete"],
  ["undo", "Take back"],
  ["run", "Take it all back"],
  ["forget", "Forget for good"],
  ["sign-out", "Sign out"],
]);

const verbIn = (path: string): string | undefined => verbs.get(/[^/?]+(?=\?|$)/.exec(path)?.[0] ?? "");

/** The name of a thing; undefined if it is not there. */
export async function readName(query: QueryContext, kind: "habit" | "todo", id: number) {
  const thing =
    kind === "todo" ? await readTodo(query, { todo_id: id }) : await readHabit(query, { habit_id: id });
  return { name: isRefused(thing) ? undefined : "title" in thing ? thing.title : thing.name };
}

/** The address that a sign-in leads to if it began with a form. */
export const sentPath = "/account/sent";

const lifetimeSeconds = 30 * 60;
/** Browsers keep this many bytes of a cookie's name, value and attributes. */
const mostCookieBytes = 4_000;

type Kept = { path: string; fields: [name: string, value: string][] };

const sentCookie = (context: PagesContext) => sealedCookie<Kept>(context, "sent", lifetimeSeconds);

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
