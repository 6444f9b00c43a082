import type { Grant, Interaction } from "oidc-provider";
import { isScope, type Scope } from "../../../../shared/contracts/kernel/scopes.ts";
import { takeForm } from "../../../web/form/form.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { IdentityContext } from "../../accounts/context.ts";
import { documentHost, keepWithinLimit, maxConnections, noteConsent } from "../../grants/grants.ts";
import { scopesOf, setScopes } from "../../grants/resources.ts";
import { type IdentityRequest, type Visitor, visitorOf } from "../visitor.ts";
import { consentPage, grantOf, offeredScopes } from "./consent-page.ts";

/** GET /interaction/{uid}: an authorization request waits here until its person has signed in and answered. */
export async function showInteraction(request: IdentityRequest): Promise<Response> {
  const { identity, ctx } = request;
  const interaction = await identity.provider.interactionDetails(ctx.req, ctx.res);
  const visitor = await visitorOf(request);
  return interaction.prompt.name === "login"
    ? goOn(interaction, visitor)
    : consentPage({ interaction, visitor });
}

/** POST /interaction/{uid}: the answer to the consent screen. */
export async function answerConsent(request: IdentityRequest): Promise<Response> {
  const { identity, ctx } = request;
  const interaction = await identity.provider.interactionDetails(ctx.req, ctx.res);
  const answer = takeForm<Visitor>((visitor, form) => answerWith(interaction, visitor, form));
  return answer(await visitorOf(request));
}

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
  const name = await nameByDocument(identity, String(interaction.params.client_id));
  const { accountId = "" } = grant;
  await noteConsent(identity, { accountId, grantId, scopes: allowed, isNew, name });
  const result = { consent: { grantId } };
  return seeOther(await provider.interactionResult(ctx.req, ctx.res, result));
}

/** An app with a document is not stored here, so its connection has its name. */
async function nameByDocument({ provider }: IdentityContext, clientId: string): Promise<string | undefined> {
  const host = documentHost(clientId);
  if (!host) return undefined;
  const name = (await provider.Client.find(clientId))?.clientName;
  return name ? `${name} (${host})` : host;
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
  { provider, resources }: IdentityContext,
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
