import type { Context } from "koa";
import { field, problem } from "../../../shared/web/form-fields.ts";
import { html } from "../../../shared/web/html.ts";
import { checkPassword, normalizeEmail } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import { endServiceSessions } from "../oauth/sign-out.ts";
import { knownBrowser, rememberBrowser } from "./known-browser.ts";
import { formTargets, safeNext } from "./redirects.ts";
import { seeOther, sendPage } from "./respond.ts";
import { formToken, readForm, signIn, signOut, type Visitor, visitorOf } from "./visitor.ts";

/** GET /sign-in?next=…: `again=yes` asks a signed-in person for the password once more. */
export async function showSignIn(identity: Identity, ctx: Context): Promise<void> {
  const visitor = await visitorOf(identity, ctx);
  const query = new URLSearchParams(ctx.querystring);
  const next = safeNext(identity, query.get("next"));
  if (visitor.account && query.get("again") !== "yes") return seeOther(ctx, next);
  await sendForm(identity, ctx, visitor, { next, email: visitor.account?.email ?? "" });
}

/** POST /sign-in */
export async function doSignIn(identity: Identity, ctx: Context): Promise<void> {
  const visitor = await visitorOf(identity, ctx);
  const form = await readForm(identity, ctx, visitor);
  const next = safeNext(identity, form.get("next"));
  const typed = form.get("email") ?? "";
  const email = normalizeEmail(typed) ?? "";
  const attempt = { email, address: ctx.ip, browser: knownBrowser(identity, ctx, email) };
  const wait = await identity.throttle.signIn(attempt);
  if (wait > 0) {
    ctx.set("Retry-After", String(wait));
    const error = `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
    return sendForm(identity, ctx, visitor, { next, email: typed, error, status: 429 });
  }
  const account = await checkPassword(identity.pool, email, form.get("password") ?? "");
  if (!account) {
    const error = "E-mail address and password do not belong together.";
    return sendForm(identity, ctx, visitor, { next, email: typed, error, status: 422 });
  }
  await identity.throttle.signInWasRight(attempt);
  rememberBrowser(identity, ctx, email);
  await signIn(identity, ctx, account.id);
  seeOther(ctx, next);
}

/** POST /sign-out */
export async function doSignOut(identity: Identity, ctx: Context): Promise<void> {
  const visitor = await visitorOf(identity, ctx);
  const form = await readForm(identity, ctx, visitor);
  await signOut(identity, ctx, visitor);
  if (visitor.account) await endServiceSessions(identity, visitor.account.id);
  seeOther(ctx, form.get("next") ? safeNext(identity, form.get("next")) : "/sign-in");
}

type Attempt = { next: string; email: string; error?: string; status?: number };

async function sendForm(identity: Identity, ctx: Context, visitor: Visitor, attempt: Attempt): Promise<void> {
  const { next, email, error, status = 200 } = attempt;
  const signUp = `/sign-up?${new URLSearchParams({ next })}`;
  const body = html`${problem(error)}
    <form method="post" action="/sign-in" class="narrow">${formToken(identity, visitor)}
    <input type="hidden" name="next" value="${next}">
    ${field({ name: "email", label: "E-mail address", type: "email", value: email, autocomplete: "username" })}
    ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
    <div class="actions"><button>Sign in</button></div>
    </form>
    ${identity.config.signUpOpen && html`<p>New here? <a href="${signUp}">Create an account</a></p>`}`;
  const targets = await formTargets(identity, next);
  sendPage(ctx, { title: "Sign in", body }, { status, formTargets: targets });
}
