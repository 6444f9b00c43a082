import { html } from "../../../../shared/html.ts";
import { toRun } from "../../../../shared/process/to-run.ts";
import { zoneScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { browserZoneField, field } from "../../../web/form/form-fields.ts";
import { message, page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Site } from "../../../web/site.ts";
import type { Account } from "../../accounts/accounts.ts";
import { changePassword } from "../../accounts/passwords/passwords.ts";
import { findLinkAccount, signInLinkPath, useSignInLink } from "../../accounts/sign-in-links.ts";
import { rememberBrowserZone } from "../../accounts/zones.ts";
import { endConnectionsField, newPassword, passwordProblem } from "../fields.ts";
import { rememberBrowser } from "../known-browser.ts";
import { arrival, startSession, type Visitor } from "../visitor.ts";

/** GET of a one-time link from the operator: shows only a form, because link previews open links too. */
export async function showSignInLink(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await accountOf(visitor, token);
  return account ? signInLinkPage(visitor, { account, token }) : deadLinkPage(visitor.site);
}

/** POST of the link's page: signs in, with a new password if one was chosen, and goes on to the account pages. */
export async function doSignInByLink(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const { pool, config, log } = identity;
  const token = form.get("token") ?? "";
  const account = await accountOf(visitor, token);
  if (!account) return deadLinkPage(site);
  const password = form.get("password") ?? "";
  const endsAll = form.get("connections") === "end";
  const isChosen = password !== "" || endsAll;
  const error = isChosen ? await passwordProblem(password, account.email, config) : undefined;
  if (error !== undefined) return signInLinkPage(visitor, { account, token, error });
  if (!(await useSignInLink(pool, { token, address: config.authUrl }))) return deadLinkPage(site);
  if (password !== "") {
    await changePassword(identity, { accountId: account.id, password, endsAll, way: "link" });
    await identity.deliverNews();
  }
  log.info("somebody signed in by a one-time link that the operator made");
  rememberBrowser(identity, ctx, account.email);
  await rememberBrowserZone(pool, account, form.get("browser_zone"));
  await startSession(visitor, { accountId: account.id }, arrival(visitor, "link", account));
  return seeOther("/account");
}

const accountOf = ({ identity: { pool, config } }: Visitor, token: string) =>
  findLinkAccount(pool, { token, address: config.authUrl });

type PageData = Readonly<{ account: Account; token: string; error?: string }>;

function signInLinkPage(visitor: Visitor, { account, token, error }: PageData): Response {
  const body = html`<p>This signs you in as <strong>${account.email}</strong> in this browser. The link works once.</p>
    <form method="post" action="${signInLinkPath}" class="narrow">${formToken(visitor, { token })}${browserZoneField}
    ${field({
      name: "password",
      ...newPassword,
      label: "New password (if you want one)",
      hint: `${newPassword.hint} Leave it empty to keep the one you have.`,
      error,
      required: false,
    })}
    ${endConnectionsField}
    <div class="actions"><button>Sign in</button></div></form>`;
  const options = {
    status: error ? 422 : 200,
    // The address contains the token, so neither the stylesheet's nor the form's request may send it as a referrer.
    headers: { "Referrer-Policy": "strict-origin" },
  };
  return page(visitor.site, { title: "Sign in by a link", body, scripts: [zoneScript] }, options);
}

function deadLinkPage(site: Site): Response {
  const text = html`It was used, is older than ten minutes, or there is a newer one. <code>${toRun("owner")}</code> makes
    a new one.`;
  return message(site, "This link does not work", text, { status: 410, link: null });
}
