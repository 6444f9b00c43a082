import {
  type Account,
  type Configuration,
  errors,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
  type ResourceServer,
} from "oidc-provider";
import type { Pool } from "pg";
import { allScopes, isScope } from "../../../shared/contracts/kernel/scopes.ts";
import { claimedZone, findAccount } from "../accounts/accounts.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { sessionSeconds } from "../accounts/sessions.ts";
import type { Documents } from "../documents.ts";
import { findGrantId, personalClientId, type Resources, scopesOf } from "../grants.ts";
import type { Journaled } from "../journal.ts";
import { refusedRequestPage, renderSignOut, reply, signedOutPage } from "../pages/messages.ts";
import { cookieNames } from "../pages/visitor.ts";
import { postgresAdapter } from "./adapter.ts";
import { registrationPolicy } from "./registration.ts";

const hour = 60 * 60;
const day = 24 * hour;

type Dependencies = Journaled &
  Pick<IdentityContext, "config" | "keys" | "resources"> &
  Readonly<{ documents: Documents }>;

/** The OAuth 2.1 and OpenID Connect server (RFC 6749, 7591, 7636, 7009, 8414, 8707, 9207). */
export function createProvider(parts: Dependencies): Provider {
  const { config, pool, keys } = parts;
  const { session, interaction, resume } = cookieNames(config);
  const provider = new Provider(config.authUrl, {
    adapter: postgresAdapter(parts, config),
    jwks: keys.jwks,
    clients: [personalClient],
    features: features(parts),
    ...registration,
    ...lifetimes,
    routes,
    responseTypes: ["code"],
    pkce: { required: () => true },
    scopes: ["openid", "offline_access"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["zoneinfo"] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => accountWithClaims(pool, id),
    loadExistingGrant: (ctx) => loadGrant(parts, ctx),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}`, policy: askForConsent() },
    cookies: {
      keys: keys.cookies,
      names: { session, interaction, resume },
      long: cookie,
      short: cookie,
    },
    // The front door decides which addresses scripts may read, and no cookies come with their requests.
    clientBasedCORS: () => true,
    renderError: (ctx, _out, error) => reply(ctx, refusedRequestPage(error, ctx)),
    fetch: parts.documents.fetch,
    // Apps that register may not make the provider fetch anything.
    sectorIdentifierUriValidate: () => false,
  });
  // The front door, before this, tells the client's network.
  provider.proxy = true;
  provider.maxIpsCount = 1;
  return provider;
}

const personalClient = {
  client_id: personalClientId,
  client_name: "Personal access token",
  token_endpoint_auth_method: "none",
  redirect_uris: [],
  response_types: [],
  grant_types: [],
} as const;

const cookie = { signed: true, httpOnly: true, sameSite: "lax" } as const;

const registration: Configuration = {
  extraClientMetadata: registrationPolicy,
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
  clientDefaults: {
    // Allows loopback addresses with any port.
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
};

const lifetimes: Configuration = {
  // An app stays connected when the person signs out; it is disconnected on the page of tokens.
  expiresWithSession: () => false,
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  ttl: {
    AccessToken: hour,
    AuthorizationCode: 60,
    Grant: 3_650 * day,
    IdToken: hour,
    Interaction: 10 * 60,
    RefreshToken: 90 * day,
    // Forms create sessions of people who are not signed in; those end soon.
    Session: (_ctx, { accountId }) => (accountId ? sessionSeconds : 10 * 60),
  },
};

async function accountWithClaims(pool: Pool, id: string): Promise<Account | undefined> {
  const account = await findAccount(pool, id);
  if (!account) return undefined;
  const { email, emailVerified } = account;
  const zoneinfo = await claimedZone(pool, account);
  const claims = { sub: id, email, email_verified: emailVerified, ...(zoneinfo && { zoneinfo }) };
  return { accountId: id, claims: () => claims };
}

const routes = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  userinfo: "/userinfo",
  jwks: "/jwks",
  end_session: "/session/end",
};

function features({ config, resources, documents }: Dependencies): Configuration["features"] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    clientIdMetadataDocument: {
      enabled: config.clientDocuments,
      ack: "draft-02",
      allowFetch: (_ctx, clientId) => documents.mayRead(clientId),
      cacheDuration: { min: 5 * 60, max: day },
    },
    userinfo: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId,
    },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx, _client, oneOf) => defaultResource(resources, ctx, oneOf),
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, identifier) => resourceServer(resources, identifier),
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: renderSignOut,
      postLogoutSuccessSource: (ctx) => reply(ctx, signedOutPage()),
    },
  };
}

/** Asks for consent at every connection of an app, because anybody may have sent the person here (RFC 9700 §2.1). */
function askForConsent(): interactionPolicy.DefaultPolicy {
  const { Check, base } = interactionPolicy;
  const policy = base();
  const check = new Check(
    "every_connection_asks",
    "the person must agree",
    "interaction_required",
    ({ oidc }) => !oidc.result?.consent,
  );
  policy.get("consent")?.checks.add(check);
  return policy;
}

/** @returns the default resource of a request that names none (RFC 8707 §2); undefined for a mere sign-in */
function defaultResource(
  resources: Resources,
  { oidc }: KoaContextWithOIDC,
  oneOf: readonly string[] | undefined,
): string | undefined {
  if (oneOf) return oneOf.find((id) => resources.audience(id) === resources.byDefault) ?? oneOf[0];
  return [...oidc.requestParamScopes].some(isScope) ? resources.byDefault : undefined;
}

/** Describes the tokens for a resource. They are opaque, so that revoking one takes effect. */
function resourceServer(resources: Resources, identifier: string): ResourceServer {
  const audience = resources.audience(identifier);
  if (audience === undefined) throw new errors.InvalidTarget("unknown resource");
  return { audience, scope: allScopes.join(" "), accessTokenFormat: "opaque" };
}

/**
 * Loads the app's earlier grant for an authorization request, so that a person has one connection per app. After
 * consent the token gets exactly what was ticked: less than the app requested, or more, because a step-up also
 * offers what the app had before.
 */
async function loadGrant(
  { pool }: Pick<IdentityContext, "pool">,
  { oidc }: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, result, params, provider } = oidc;
  const accountId = session?.accountId;
  if (!client || !params || !accountId) return undefined;
  const id = result?.consent?.grantId ?? (await findGrantId(pool, accountId, client.clientId));
  const grant = id === undefined ? undefined : await provider.Grant.find(id);
  if (grant && result?.consent) {
    params.scope = [...oidc.requestParamOIDCScopes, ...scopesOf(grant)].join(" ");
  }
  return grant;
}
