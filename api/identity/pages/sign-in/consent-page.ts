import type { Grant, Interaction } from "oidc-provider";
import { allScopes, type Scope } from "../../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import type { IdentityContext } from "../../accounts/context.ts";
import { documentHost } from "../../grants/grants.ts";
import { scopesOf } from "../../grants/resources.ts";
import { scopeFields } from "../fields.ts";
import { authorizePath, formSource } from "../redirects.ts";
import type { Visitor } from "../visitor.ts";

/** The grant that the request would extend: the app's earlier one, else a new one. */
export async function grantOf(
  { provider }: IdentityContext,
  { grantId, session, params }: Interaction,
): Promise<Grant> {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known) return known;
  return new provider.Grant({ accountId: session?.accountId, clientId: String(params.client_id) });
}

/** The requested scopes and those granted before, because a step-up must not take them away. */
export function offeredScopes({ params }: Interaction, grant: Grant): Scope[] {
  const requested = String(params.scope ?? "").split(" ");
  const granted = scopesOf(grant);
  return allScopes.filter((scope) => requested.includes(scope) || granted.includes(scope));
}

type Question = Readonly<{ interaction: Interaction; visitor: Visitor; error?: string }>;

/** The consent screen, with the problem of a refused answer. */
export async function consentPage({ interaction, visitor, error }: Question): Promise<Response> {
  const { identity, site, url } = visitor;
  const { params } = interaction;
  const client = await identity.provider.Client.find(String(params.client_id));
  const app = client?.clientName ?? "An app without a name";
  const redirectUri = String(params.redirect_uri);
  const offered = offeredScopes(interaction, await grantOf(identity, interaction));
  const body = html`${problem(error)}
    <p><strong>${app}</strong> wants to use <strong>Kept</strong> at ${resourceName(identity, params.resource)}
      for you, ${visitor.account?.email}.</p>
    <p class="note warn small">${sourceOfName(String(params.client_id))} Allow it only if you started this yourself. Your answer
      goes to ${destination(redirectUri)}.</p>
    <form method="post" action="${url.pathname}">${formToken(visitor)}
    ${offered.length > 0 && html`<fieldset class="card"><legend>Let it</legend>${scopeFields(offered, offered)}</fieldset>`}
    ${personal(String(params.scope ?? ""))}
    <p class="quiet small">You can take this back at any time under Tokens and apps.</p>
    <div class="actions"><button name="answer" value="allow">Allow</button>
      <button class="plain" name="answer" value="deny">Cancel</button></div>
    </form>
    <form method="post" action="/sign-out">${formToken(visitor, { next: authorizePath(params) })}
    <p>Not you? <button class="link">Use another account</button></p></form>`;
  const options = { status: error ? 422 : 200, formTargets: formSource(redirectUri) };
  return page(site, { title: `Connect ${app}`, body }, options);
}

/** A document's host is certain. Yet any program on a computer may use the id of an app whose answers go there. */
function sourceOfName(clientId: string): Html {
  const host = documentHost(clientId);
  if (!host) return html`The app gave itself this name; nobody has checked it.`;
  return html`The name comes from <code>${host}</code>, which says where the answer may go.`;
}

function resourceName({ resources, config }: IdentityContext, resource: unknown): Html {
  const named = [resource].flat().map((id) => resources.audience(String(id)));
  const isMcp = named.includes(`${config.baseUrl}/mcp`);
  return html`${URL.parse(config.baseUrl)?.host} (${isMcp ? "tools for AI agents, MCP" : "REST API"})`;
}

/** Shows the host of web addresses only: in an app's own scheme the host may be any name and proves nothing. */
function destination(redirectUri: string): Html {
  const url = URL.parse(redirectUri);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url && isWeb) return html`<code>${url.host}</code>`;
  return html`the app on this device that owns <code>${url?.protocol ?? redirectUri}</code>`;
}

function personal(scope: string): Html | undefined {
  const words = scope.split(" ");
  if (!words.includes("email") && !words.includes("profile")) return undefined;
  return html`<p>It also learns your e-mail address and time zone.</p>`;
}
