import { html } from "../../../../shared/html.ts";
import { passwordScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import { message, page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Site } from "../../../web/site.ts";
import type { Account } from "../../accounts/accounts.ts";
import { changePassword } from "../../accounts/passwords/passwords.ts";
import { findResetAccount, resetPath } from "../../accounts/passwords/resets.ts";
import { resetMinutes } from "../../accounts/throttle.ts";
import { endConnectionsField, newPassword, passwordProblem } from "../fields.ts";
import { rememberBrowser } from "../known-browser.ts";
import { arrival, startSession, type Visitor } from "../visitor.ts";
import { forgotPath } from "./forgot-password.ts";

/** GET of the mailed link: shows only a form, because mail scanners open links. */
export async function showReset(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await findResetAccount(visitor.identity.pool, token);
  return account ? resetPage(visitor, { account, token }) : deadLinkPage(visitor.site);
}

/** POST of the link's page: sets the password, ends every session and signs in here. */
export async function doReset(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const token = form.get("token") ?? "";
  const account = await findResetAccount(identity.pool, token);
  if (!account) return deadLinkPage(site);
  const password = form.get("password") ?? "";
  const error = await passwordProblem(password, account.email, identity.config);
  if (error) return resetPage(visitor, { account, token, error });
  const accountId = account.id;
  const endsAll = form.get("connections") === "end";
  const passwordHash = await changePassword(identity, {
    accountId,
    password,
    resetToken: token,
    endsAll,
    way: "reset",
  });
  if (passwordHash === undefined) return deadLinkPage(site);
  await identity.deliverNews();
  rememberBrowser(identity, ctx, account.email);
  await startSession(visitor, { accountId, passwordHash }, arrival(visitor, "reset", account));
  return seeOther("/account");
}

type PageData = Readonly<{ account: Account; token: string; error?: string }>;

function resetPage(visitor: Visitor, { account, token, error }: PageData): Response {
  const body = html`<p>For the account of <strong>${account.email}</strong>. Every other browser is signed out.</p>
    <form method="post" action="${resetPath}" class="narrow">${formToken(visitor, { token })}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...newPassword, label: "New password", error })}
    ${endConnectionsField}
    <div class="actions"><button>Save and sign in</button></div></form>`;
  const options = {
    status: error ? 422 : 200,
    // The address contains the token, so neither the stylesheet's nor the form's request may send it as a referrer.
    headers: { "Referrer-Policy": "strict-origin" },
  };
  return page(visitor.site, { title: "Choose a new password", body, scripts: [passwordScript] }, options);
}

function deadLinkPage(site: Site): Response {
  const link = { href: forgotPath, label: "Send a new link" };
  const text = `It was used or is older than ${resetMinutes} minutes.`;
  return message(site, "This link does not work", text, { status: 410, link });
}
