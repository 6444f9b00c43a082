import { formToken } from "../../../shared/web/form.ts";
import { field, problem } from "../../../shared/web/form-fields.ts";
import { html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { safeNext, seeOther } from "../../../shared/web/redirect.ts";
import { normalizeEmail } from "../accounts/accounts.ts";
import { endServiceSessions } from "../accounts/outbox.ts";
import { checkPassword } from "../accounts/passwords.ts";
import { knownBrowser, rememberBrowser } from "./known-browser.ts";
import { formTargets } from "./redirects.ts";
import { endSession, startSession, type Visitor } from "./visitor.ts";

/** GET /sign-in?next=…: `again=yes` asks a signed-in person for the password once more. */
export async function showSignIn(visitor: Visitor): Promise<Response> {
  const query = visitor.url.searchParams;
  const next = safeNext(visitor.site, query.get("next"));
  if (visitor.account && query.get("again") !== "yes") return seeOther(next);
  return signInPage(visitor, { next, email: visitor.account?.email ?? "" });
}

/** POST /sign-in */
export async function doSignIn(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const next = safeNext(site, form.get("next"));
  const typed = form.get("email") ?? "";
  const email = normalizeEmail(typed) ?? "";
  const attempt = { email, address: ctx.ip, browser: knownBrowser(identity, ctx, email) };
  const wait = await identity.throttle.signIn(attempt);
  if (wait > 0) {
    const error = `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
    const headers = { "Retry-After": String(wait) };
    return signInPage(visitor, { next, email: typed, error, status: 429, headers });
  }
  const account = await checkPassword(identity.pool, email, form.get("password") ?? "");
  if (!account) {
    const error = "E-mail address and password do not belong together.";
    return signInPage(visitor, { next, email: typed, error, status: 422 });
  }
  await identity.throttle.signInWasRight(attempt);
  rememberBrowser(identity, ctx, email);
  await startSession(visitor, account.id);
  return seeOther(next);
}

/** POST /sign-out */
export async function doSignOut(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  await endSession(visitor);
  if (visitor.account) await endServiceSessions(visitor.identity, visitor.account.id);
  return seeOther(form.get("next") ? safeNext(visitor.site, form.get("next")) : "/sign-in");
}

type Shown = Readonly<{
  next: string;
  email: string;
  error?: string;
  status?: number;
  headers?: Record<string, string>;
}>;

async function signInPage(visitor: Visitor, { next, email, error, ...options }: Shown): Promise<Response> {
  const { identity, site } = visitor;
  const signUp = `/sign-up?${new URLSearchParams({ next })}`;
  const body = html`${problem(error)}
    <form method="post" action="/sign-in" class="narrow">${formToken(visitor)}
    <input type="hidden" name="next" value="${next}">
    ${field({ name: "email", label: "E-mail address", type: "email", value: email, autocomplete: "username" })}
    ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
    <div class="actions"><button>Sign in</button></div>
    </form>
    ${identity.config.signUpOpen && html`<p>New here? <a href="${signUp}">Create an account</a></p>`}`;
  const targets = await formTargets(identity, next);
  return page(site, { title: "Sign in", body }, { ...options, formTargets: targets });
}
