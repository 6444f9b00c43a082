import type { Context } from "koa";
import { field, isTimeZone, problem, zoneField } from "../../../shared/web/form-fields.ts";
import { html } from "../../../shared/web/html.ts";
import { createAccount, hashPassword, normalizeEmail } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import { mailSignUp } from "../accounts/sign-ups.ts";
import { newPassword, passwordProblem } from "./fields.ts";
import { rememberBrowser } from "./known-browser.ts";
import { formTargets, safeNext } from "./redirects.ts";
import { seeOther, sendMessage, sendPage } from "./respond.ts";
import { formToken, readForm, signIn, type Visitor, visitorOf } from "./visitor.ts";

/** GET /sign-up?next=… */
export async function showSignUp(identity: Identity, ctx: Context): Promise<void> {
  if (!identity.config.signUpOpen) return sendClosed(ctx);
  const visitor = await visitorOf(identity, ctx);
  const next = safeNext(identity, new URLSearchParams(ctx.querystring).get("next"));
  const zone = identity.config.defaultTimeZone;
  await sendForm(identity, ctx, visitor, { next, email: "", zone, problems: {} });
}

/** POST /sign-up */
export async function doSignUp(identity: Identity, ctx: Context): Promise<void> {
  if (!identity.config.signUpOpen) return sendClosed(ctx);
  const visitor = await visitorOf(identity, ctx);
  const form = await readForm(identity, ctx, visitor);
  const next = safeNext(identity, form.get("next"));
  const chosen = form.get("time_zone");
  const zone = isTimeZone(chosen) ? chosen : identity.config.defaultTimeZone;
  const attempt = { next, email: form.get("email") ?? "", zone };
  const password = form.get("password") ?? "";
  const email = normalizeEmail(attempt.email);
  const problems = {
    email: email ? undefined : "That is not an e-mail address.",
    password: passwordProblem(password),
  };
  if (!email || problems.password) return sendForm(identity, ctx, visitor, { ...attempt, problems });

  const wait = await identity.throttle.signUp(ctx.ip);
  if (wait > 0) {
    ctx.set("Retry-After", String(wait));
    const error = "Too many new accounts from your network. Try again in an hour.";
    return sendForm(identity, ctx, visitor, { ...attempt, problems: {}, error, status: 429 });
  }
  const passwordHash = await hashPassword(password);
  if (identity.sendMail) {
    const isSent = await mailSignUp(identity, { email, passwordHash, timeZone: zone, next });
    return isSent ? sendLook(ctx, email) : sendMailFailed(ctx);
  }
  const account = await createAccount(identity.pool, { email, passwordHash, timeZone: zone });
  if (!account) {
    const taken = { email: "There is an account with this address. Sign in instead." };
    return sendForm(identity, ctx, visitor, { ...attempt, problems: taken });
  }
  rememberBrowser(identity, ctx, email);
  await signIn(identity, ctx, account.id);
  seeOther(ctx, next);
}

/** The same for an address that has an account: only its owner learns that, by mail. */
function sendLook(ctx: Context, email: string): void {
  const text = html`We sent a mail to <strong>${email}</strong>. The link in it leads you on; it works for 24 hours.`;
  sendMessage(ctx, 200, "Look into your mail", text);
}

function sendMailFailed(ctx: Context): void {
  const text = "The mail to this address could not be sent. Try again later.";
  sendMessage(ctx, 503, "That did not work", text);
}

function sendClosed(ctx: Context): void {
  sendMessage(ctx, 403, "Sign-up is closed", "The owner of this server does not take new accounts.");
}

type Attempt = {
  next: string;
  email: string;
  zone: string;
  problems: { email?: string | undefined; password?: string | undefined };
  error?: string;
  status?: number;
};

async function sendForm(identity: Identity, ctx: Context, visitor: Visitor, attempt: Attempt): Promise<void> {
  const { next, email, zone, problems, error } = attempt;
  const hasProblem = Object.values(problems).some(Boolean);
  const body = html`${problem(error)}
    <form method="post" action="/sign-up" class="narrow">${formToken(identity, visitor)}
    <input type="hidden" name="next" value="${next}">
    ${field({
      name: "email",
      label: "E-mail address",
      type: "email",
      value: email,
      autocomplete: "username",
      error: problems.email,
    })}
    ${field({ name: "password", ...newPassword, error: problems.password })}
    ${zoneField(zone)}
    <div class="actions"><button>Create account</button></div>
    </form>
    <p>You have an account? <a href="/sign-in?${new URLSearchParams({ next }).toString()}">Sign in</a></p>`;
  const status = attempt.status ?? (hasProblem ? 422 : 200);
  const targets = await formTargets(identity, next);
  sendPage(ctx, { title: "Create an account", body }, { status, formTargets: targets });
}
