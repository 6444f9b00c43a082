import type { Context } from "koa";
import { field, problem } from "../../../shared/web/form-fields.ts";
import { html } from "../../../shared/web/html.ts";
import { hashToken } from "../accounts/confirmation.ts";
import type { Identity } from "../accounts/context.ts";
import { findSignUp, finishPath, finishSignUp, type SignUp } from "../accounts/sign-ups.ts";
import { rememberBrowser } from "./known-browser.ts";
import { formTargets, safeNext } from "./redirects.ts";
import { seeOther, sendMessage, sendPage } from "./respond.ts";
import { formToken, readForm, signIn, type Visitor, visitorOf } from "./visitor.ts";

/** GET of the mailed link: it asks for the password, so that nobody finishes what a stranger began with their address. */
export async function showFinish(identity: Identity, ctx: Context): Promise<void> {
  const token = new URLSearchParams(ctx.querystring).get("token") ?? "";
  const signUp = await findSignUp(identity.pool, token);
  if (!signUp) return sendDeadLink(ctx);
  await sendForm(identity, ctx, await visitorOf(identity, ctx), { signUp, token });
}

/** POST of the link's page: makes the account, whose address is confirmed by that. */
export async function doFinish(identity: Identity, ctx: Context): Promise<void> {
  const visitor = await visitorOf(identity, ctx);
  const form = await readForm(identity, ctx, visitor);
  const token = form.get("token") ?? "";
  const signUp = await findSignUp(identity.pool, token);
  if (!signUp) return sendDeadLink(ctx);
  const wait = await identity.throttle.password(hashToken(token).toString("base64url"));
  if (wait > 0) {
    const error = `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
    return sendForm(identity, ctx, visitor, { signUp, token, error });
  }
  if (!(await Bun.password.verify(form.get("password") ?? "", signUp.passwordHash))) {
    const error = "That is not the password that you chose.";
    return sendForm(identity, ctx, visitor, { signUp, token, error });
  }
  const account = await finishSignUp(identity.pool, signUp);
  if (!account) return sendDeadLink(ctx);
  rememberBrowser(identity, ctx, signUp.email);
  await signIn(identity, ctx, account.id);
  seeOther(ctx, safeNext(identity, signUp.next));
}

type Shown = { signUp: SignUp; token: string; error?: string };

async function sendForm(identity: Identity, ctx: Context, visitor: Visitor, shown: Shown): Promise<void> {
  const { signUp, token, error } = shown;
  const body = html`${problem(error)}
    <p>You are nearly done: give the password that you chose for <strong>${signUp.email}</strong>.</p>
    <form method="post" action="${finishPath}" class="narrow">${formToken(identity, visitor)}
    <input type="hidden" name="token" value="${token}">
    ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
    <div class="actions"><button>Create account</button></div></form>`;
  const targets = await formTargets(identity, signUp.next);
  sendPage(ctx, { title: "Finish your sign-up", body }, { status: error ? 422 : 200, formTargets: targets });
}

function sendDeadLink(ctx: Context): void {
  const text = html`It was used or is older than 24 hours. You can <a href="/sign-in">sign in</a> or
    <a href="/sign-up">sign up again</a>.`;
  sendMessage(ctx, 410, "This link does not work", text);
}
