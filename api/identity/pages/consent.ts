import type { Grant, Interaction } from "oidc-provider";
import { allScopes, isScope, type Scope, usualScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { isWeb, readAddress } from "../../../shared/domain/outside-address.ts";
import { type Html, html } from "../../../shared/html.ts";
import { formToken } from "../../web/form/form.ts";
import { problem } from "../../web/form/form-fields.ts";
import { page } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import type { PageMethods } from "../../web/router.ts";
import type { ProviderContext } from "../accounts/context.ts";
import {
  documentHost,
  keepWithinLimit,
  maxConnections,
  noteConsent,
  scopesOf,
  setScopes,
} from "../grants.ts";
import { scopeFields } from "./fields.ts";
import { takeProvenForm } from "./proof.ts";
import { authorizePath, formSource } from "./redirects.ts";
import { type IdentityRequest, signedInVisitor, type Visitor, visitorOf } from "./visitor.ts";

/** The page of an interaction: an authorization request that waits until its person has signed in and answered. */
type Answering = (interaction: Interaction, visitor: Visitor) => Response | Promise<Response>;

const ofInteraction =
  (answer: Answering) =>
  async (request: IdentityRequest): Promise<Response> => {
    const { identity, ctx } = request;
    const interaction = await identity.provider.interactionDetails(ctx.req, ctx.res);
    return answer(interaction, await visitorOf(request));
  };

export const interactionPages: PageMethods<IdentityRequest> = {
  GET: ofInteraction((interaction, visitor) =>
    interaction.prompt.name === "login" ? goOn(interaction, visitor) : consentPage({ interaction, visitor }),
  ),
  POST: ofInteraction(async (interaction, guest) => {
    const visitor = await signedInVisitor(guest);
    if (!visitor) return goOn(interaction, guest);
    const formTargets = formSource(String(interaction.params.redirect_uri));
    // An app that is connected lasts, so who allows it has just proven who they are.
    const takeAnswer = takeProvenForm(
      (person, form) => answerWith(interaction, person, form),
      (form) => form.get("answer") === "allow",
    );
    return takeAnswer({ ...visitor, site: { ...visitor.site, formTargets } });
  }),
};

async function answerWith(
  interaction: Interaction,
  visitor: Visitor,
  form: URLSearchParams,
): Promise<Response> {
  const { identity, ctx } = visitor;
  const { provider } = identity;
  if (form.get("answer") !== "allow") {
    const denied = { error: "access_denied", error_description: "The person said no." };
    return seeOther(await provider.interactionResult(ctx.req, ctx.res, denied));
  }
  const grant = await grantOf(identity, interaction);
  const offered = offeredScopes(interaction, grant);
  const ticked = form.getAll("scope").filter(isScope);
  const allowed = offered.filter((scope) => ticked.includes(scope));
  if (offered.length > 0 && allowed.length === 0) {
    const error = "Tick at least one permission, or choose Cancel.";
    return consentPage({ interaction, visitor, error });
  }
  const isNew = grant.jti === undefined;
  const grantId = await saveGrant(identity, interaction, grant, allowed);
  if (!(await keepWithinLimit(identity.pool, grantId))) {
    const error = `You have ${maxConnections} connected apps, which is as many as an account may have. Disconnect one under Tokens and apps first.`;
    return consentPage({ interaction, visitor, error });
  }
  const { accountId = "", clientId = "" } = grant;
  const app = documentHost(clientId) === undefined ? undefined : await provider.Client.find(clientId);
  await noteConsent(identity, { accountId, grantId, scopes: allowed, isNew, document: app?.metadata() });
  const result = { consent: { grantId } };
  return seeOther(await provider.interactionResult(ctx.req, ctx.res, result));
}

/** Continues if the person is signed in; asks for the password again if the app demands a fresh sign-in. */
async function goOn(interaction: Interaction, visitor: Visitor): Promise<Response> {
  const { identity, ctx, session, account } = visitor;
  const isFresh = (session.loginTs ?? 0) >= (interaction.iat ?? 0);
  if (account && isFresh) {
    const login = { accountId: account.id, ts: session.loginTs };
    return seeOther(await identity.provider.interactionResult(ctx.req, ctx.res, { login }));
  }
  const query = new URLSearchParams({ next: ctx.path, ...(account ? { again: "yes" } : {}) });
  return seeOther(`/sign-in?${query}`);
}

async function saveGrant(
  { provider, resources }: ProviderContext,
  { prompt }: Interaction,
  grant: Grant,
  allowed: Scope[],
): Promise<string> {
  const isNarrower = scopesOf(grant).some((scope) => !allowed.includes(scope));
  setScopes(grant, resources, allowed);
  const { missingOIDCScope } = prompt.details;
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.map(String));
  const grantId = await grant.save();
  // Tokens issued before still carry the wider scopes.
  if (isNarrower) await provider.AccessToken.revokeByGrantId(grantId);
  return grantId;
}

/** The grant that the request would extend: the app's earlier one, else a new one. */
async function grantOf(
  { provider }: ProviderContext,
  { grantId, session, params }: Interaction,
): Promise<Grant> {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known) return known;
  return new provider.Grant({ accountId: session?.accountId, clientId: String(params.client_id) });
}

/** The requested scopes and those granted before, because a step-up must not take them away. */
function offeredScopes({ params }: Interaction, grant: Grant): Scope[] {
  const requested = String(params.scope ?? "").split(" ");
  const granted = scopesOf(grant);
  return allScopes.filter((scope) => requested.includes(scope) || granted.includes(scope));
}

type Question = Readonly<{ interaction: Interaction; visitor: Visitor; error?: string }>;

async function consentPage({ interaction, visitor, error }: Question): Promise<Response> {
  const { identity, site, url } = visitor;
  const { params } = interaction;
  const client = await identity.provider.Client.find(String(params.client_id));
  const app = client?.clientName ?? "An app without a name";
  const redirectUri = String(params.redirect_uri);
  const grant = await grantOf(identity, interaction);
  const offered = offeredScopes(interaction, grant);
  // Changes leave the account for good, so this takes the person's own tick.
  const ticked = offered.filter((scope) => [...usualScopes, ...scopesOf(grant)].includes(scope));
  const body = html`${problem(error)}
    <p><strong>${app}</strong> wants to use <strong>Kept</strong> at ${resourceName(identity, params.resource)}
      for you, ${visitor.account?.email}.</p>
    <p class="note warn small">${sourceOfName(String(params.client_id))} Allow it only if you started this yourself. Your answer
      goes to ${destination(redirectUri)}.</p>
    <form method="post" action="${url.pathname}">${formToken(visitor)}
    ${offered.length > 0 && html`<div class="card"><fieldset><legend>Allow it to</legend>${scopeFields(offered, ticked)}</fieldset></div>`}
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

function resourceName({ resources, config }: ProviderContext, resource: unknown): Html {
  const named = [resource].flat().map((id) => resources.audience(String(id)));
  const isMcp = named.includes(`${config.baseUrl}/mcp`);
  return html`${URL.parse(config.baseUrl)?.host} (${isMcp ? "tools for AI agents, MCP" : "REST API"})`;
}

/** Shows the host of web addresses only: in an app's own scheme the host may be any name and proves nothing. */
function destination(redirectUri: string): Html {
  const url = readAddress(redirectUri);
  if (url && isWeb(url)) return html`<code>${url.host}</code>`;
  return html`the app on this device that owns <code>${url?.protocol ?? redirectUri}</code>`;
}

function personal(scope: string): Html | undefined {
  const words = scope.split(" ");
  if (!words.includes("email") && !words.includes("profile")) return undefined;
  return html`<p>It also learns your e-mail address and time zone.</p>`;
}
