import { type Html, html } from "../../../../shared/html.ts";
import { passkeyScript, passwordScript, zoneScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { browserZoneField, field, problem } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import { signInOptions } from "../../passkeys/sign-in.ts";
import { emailAddress } from "../fields.ts";
import { findRequest, formTargetsOf } from "../redirects.ts";
import type { Visitor } from "../visitor.ts";
import { forgotPath } from "./forgot-password.ts";

export const passkeySignInPath = "/sign-in/passkey";

type PageData = Readonly<{
  next: string;
  email: string;
  error?: string;
  status?: number;
  headers?: Record<string, string>;
}>;

/** The sign-in page, with the problem of a failed attempt. */
export async function signInPage(
  visitor: Visitor,
  { next, email, error, ...options }: PageData,
): Promise<Response> {
  const { identity, site } = visitor;
  const query = new URLSearchParams({ next });
  const request = await findRequest(identity, next);
  const body = html`${problem(error)}
    ${request && html`<p>To connect <strong>${request.app}</strong>. The app gave itself this name.</p>`}
    <form method="post" action="/sign-in" class="narrow">${formToken(visitor, { next })}${browserZoneField}
    ${field({
      ...emailAddress,
      value: email,
      autofocus: !error && email === "",
    })}
    ${field({
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "current-password",
      autofocus: !error && email !== "",
    })}
    <div class="actions"><button>Sign in</button></div>
    </form>
    ${await passkeyForm(visitor, next)}
    <p><a href="${forgotPath}">Forgot your password?</a></p>
    ${identity.config.signUpOpen && html`<p>New here? <a href="/sign-up?${query.toString()}">Create an account</a></p>`}`;
  const content = { title: "Sign in", body, scripts: [zoneScript, passwordScript, passkeyScript] };
  return page(site, content, { ...options, formTargets: formTargetsOf(request) });
}

/** The form is hidden until a script finds that the browser knows passkeys. */
async function passkeyForm(visitor: Visitor, next: string): Promise<Html | undefined> {
  const options = await signInOptions(visitor.identity, visitor.holder);
  if (!options) return undefined;
  return html`<form method="post" action="${passkeySignInPath}" class="narrow" data-passkey="get"
    data-options="${JSON.stringify(options)}" hidden>${formToken(visitor, { next, credential: "" })}${browserZoneField}
    <div class="actions"><button class="plain">Sign in with a passkey</button></div>
    <p class="error" role="status"></p></form>`;
}
