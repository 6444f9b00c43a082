import { html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, problem } from "../../../web/form/form-fields.ts";
import { message, page } from "../../../web/page.ts";
import { safeNext, seeOther } from "../../../web/redirect.ts";
import type { Site } from "../../../web/site.ts";
import { hashToken } from "../../accounts/confirmation.ts";
import { findSignUp, finishPath, finishSignUp, type SignUp } from "../../accounts/sign-ups.ts";
import { rememberBrowser } from "../known-browser.ts";
import { formTargets } from "../redirects.ts";
import { type IdentityRequest, startSession, type Visitor, visitorOf } from "../visitor.ts";

/** GET of the mailed link: asks for the password, so that nobody finishes a sign-up that a stranger began. */
export async function showFinish(request: IdentityRequest): Promise<Response> {
  const token = request.url.searchParams.get("token") ?? "";
  const signUp = await findSignUp(request.identity.pool, token);
  if (!signUp) return deadSignUpPage(request.site);
  return finishPage(await visitorOf(request), { signUp, token });
}

/** POST of the link's page: makes the account; the link confirms its address. */
export async function doFinish(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const token = form.get("token") ?? "";
  const signUp = await findSignUp(identity.pool, token);
  if (!signUp) return deadSignUpPage(site);
  const wait = await identity.throttle.password(hashToken(token).toString("base64url"));
  if (wait > 0) {
    const error = `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
    return finishPage(visitor, { signUp, token, error });
  }
  if (!(await Bun.password.verify(form.get("password") ?? "", signUp.passwordHash))) {
    const error = "That is not the password that you chose.";
    return finishPage(visitor, { signUp, token, error });
  }
  const account = await finishSignUp(identity, signUp);
  if (!account) return deadSignUpPage(site);
  rememberBrowser(identity, ctx, signUp.email);
  await startSession(visitor, { accountId: account.id }, { way: "sign-up", isKnown: true });
  return seeOther(safeNext(site, signUp.next));
}

type PageData = Readonly<{ signUp: SignUp; token: string; error?: string }>;

async function finishPage(visitor: Visitor, { signUp, token, error }: PageData): Promise<Response> {
  const body = html`${problem(error)}
    <p>You are nearly done: give the password that you chose for <strong>${signUp.email}</strong>.</p>
    <form method="post" action="${finishPath}" class="narrow">${formToken(visitor, { token })}
    ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
    <div class="actions"><button>Create account</button></div></form>`;
  const targets = await formTargets(visitor.identity, signUp.next);
  const options = { status: error ? 422 : 200, formTargets: targets };
  return page(visitor.site, { title: "Finish your sign-up", body }, options);
}

function deadSignUpPage(site: Site): Response {
  const text = html`It was used or is older than 24 hours. You can <a href="/sign-in">sign in</a> or
    <a href="/sign-up">sign up again</a>.`;
  return message(site, "This link does not work", text, { status: 410 });
}
