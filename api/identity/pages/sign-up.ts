import { isTimeZone } from "../../../shared/domain/day/day.ts";
import { html } from "../../../shared/html.ts";
import { hashedKey } from "../../auth/token-format.ts";
import { passwordScript, zoneScript } from "../../web/assets.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem, zoneField } from "../../web/form/form-fields.ts";
import { message, page } from "../../web/page.ts";
import { safeNext, seeOther } from "../../web/redirect.ts";
import type { PageHandler } from "../../web/site.ts";
import { createAccount, normalizeEmail } from "../accounts/accounts.ts";
import { findSignUp, finishPath, finishSignUp, mailSignUp, type SignUp } from "../accounts/links.ts";
import { hashPassword } from "../accounts/passwords.ts";
import {
  emailAddress,
  type FormAnswer,
  lengthProblem,
  newPassword,
  passwordProblem,
  tooOften,
} from "./fields.ts";
import { deadLinkPage } from "./messages.ts";
import { formTargets } from "./redirects.ts";
import { type IdentityRequest, signInHere, type Visitor, visitorOf } from "./visitor.ts";

/** Wraps a page that closes together with sign-up (`SIGN_UP=closed`). */
export function whileSignUpIsOpen(show: PageHandler<IdentityRequest>): PageHandler<IdentityRequest> {
  return (request) => {
    if (request.identity.config.signUpOpen) return show(request);
    const text = "The owner of this server does not take new accounts.";
    return message(request.site, "Sign-up is closed", text, { status: 403 });
  };
}

export async function showSignUp(visitor: Visitor): Promise<Response> {
  const next = safeNext(visitor.site, visitor.url.searchParams.get("next"));
  return signUpPage(visitor, { next, email: "", zone: undefined });
}

export async function doSignUp(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx } = visitor;
  const filled = filledIn(visitor, form);
  const password = form.get("password") ?? "";
  const email = normalizeEmail(filled.email);
  const problems = {
    email: email ? undefined : "That is not an e-mail address.",
    password: lengthProblem(password),
  };
  if (!email || problems.password) return signUpPage(visitor, { ...filled, problems });
  const wait = await identity.throttle.signUp(ctx.ip);
  if (wait > 0) {
    const error = "Too many sign-ups from your network. Try again in an hour.";
    return signUpPage(visitor, { ...filled, ...tooOften("", wait), error });
  }
  const weak = await passwordProblem(password, email, identity.config);
  if (weak) return signUpPage(visitor, { ...filled, problems: { password: weak } });
  const { next, zone } = filled;
  const timeZone = zone ?? identity.config.defaultTimeZone;
  const signUp = { email, passwordHash: await hashPassword(password), timeZone, next };
  if (identity.sendMail) return mailPage(visitor, email, await mailSignUp(identity, signUp));
  const account = await createAccount(identity, signUp);
  if (!account) {
    const taken = { email: "There is an account with this address. Sign in instead." };
    return signUpPage(visitor, { ...filled, problems: taken });
  }
  await signInHere(visitor, account, "sign-up");
  return seeOther(next);
}

function filledIn({ site }: Visitor, form: URLSearchParams): SignUpForm {
  const chosen = form.get("time_zone") ?? "";
  const zone = isTimeZone(chosen) ? chosen : undefined;
  return { next: safeNext(site, form.get("next")), email: form.get("email") ?? "", zone };
}

/** The page is the same for an address that has an account: only its owner learns that, by mail. */
function mailPage({ site }: Visitor, email: string, isSent: boolean): Response {
  if (!isSent) {
    const text = "The mail to this address could not be sent. Try again later.";
    return message(site, "That did not work", text, { status: 503 });
  }
  const text = html`We sent a mail to <strong>${email}</strong>. The link in it leads you on; it works for 24 hours.`;
  return message(site, "Look into your mail", text);
}

type SignUpForm = FormAnswer &
  Readonly<{
    next: string;
    email: string;
    /** Undefined until the person has sent the form. */
    zone: string | undefined;
    problems?: { email?: string | undefined; password?: string | undefined };
  }>;

async function signUpPage(visitor: Visitor, filled: SignUpForm): Promise<Response> {
  const { next, email, zone, problems = {}, error, ...answer } = filled;
  const hasProblem = Object.values(problems).some(Boolean);
  const body = html`${problem(error)}
    <form method="post" action="/sign-up" class="narrow">${formToken(visitor, { next })}
    ${field({ ...emailAddress, value: email, error: problems.email })}
    ${field({ name: "password", ...newPassword, error: problems.password })}
    ${zoneField(zone ?? visitor.identity.config.defaultTimeZone, zone === undefined)}
    <div class="actions"><button>Create account</button></div>
    </form>
    <p>You have an account? <a href="/sign-in?${new URLSearchParams({ next }).toString()}">Sign in</a></p>`;
  const targets = await formTargets(visitor.identity, next);
  const status = hasProblem ? 422 : 200;
  const content = { title: "Create an account", body, scripts: [zoneScript, passwordScript] };
  return page(visitor.site, content, { status, ...answer, formTargets: targets });
}

/** GET of the mailed link: asks for the password, so that nobody finishes a sign-up that a stranger began. */
export async function showFinish(request: IdentityRequest): Promise<Response> {
  const token = request.url.searchParams.get("token") ?? "";
  const signUp = await findSignUp(request.identity.pool, token);
  if (!signUp) return deadSignUpPage();
  return finishPage(await visitorOf(request), { signUp, token });
}

/** POST of the link's page: makes the account; the link confirms its address. */
export async function doFinish(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, site } = visitor;
  const token = form.get("token") ?? "";
  const signUp = await findSignUp(identity.pool, token);
  if (!signUp) return deadSignUpPage();
  const wait = await identity.throttle.password(hashedKey(token));
  if (wait > 0)
    return finishPage(visitor, { signUp, token, error: tooOften("Too many attempts.", wait).error });
  if (!(await Bun.password.verify(form.get("password") ?? "", signUp.passwordHash))) {
    const error = "That is not the password that you chose.";
    return finishPage(visitor, { signUp, token, error });
  }
  const account = await finishSignUp(identity, signUp);
  if (!account) return deadSignUpPage();
  await signInHere(visitor, account, "sign-up");
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

const deadSignUpPage = (): Response =>
  deadLinkPage(
    html`It was used or is older than 24 hours. You can <a href="/sign-in">sign in</a> or
    <a href="/sign-up">sign up again</a>.`,
  );
