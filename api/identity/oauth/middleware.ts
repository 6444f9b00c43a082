import { parse } from "node:querystring";
import { text } from "node:stream/consumers";
import type { Context, Next } from "koa";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { allScopes, isScope, usualScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { isObject } from "../../http/input.ts";
import { message } from "../../web/page.ts";
import type { IdentityContext, ProviderContext } from "../accounts/context.ts";
import { endAccountSessions } from "../accounts/sessions.ts";
import { openDocuments } from "../documents.ts";
import { documentHost, findApp } from "../grants.ts";
import { duringRequest } from "../journal.ts";
import { explainFailures, messageSite, refusedRequestPage, reply, signedOutPage } from "../pages/messages.ts";
import { authorizePath } from "../pages/redirects.ts";
import { servePages } from "../pages/router.ts";
import { createProvider } from "./provider.ts";
import { throttleRegistrations } from "./registration.ts";

/**
 * Makes oidc-provider, with the pages and the rules of Kept before and around its endpoints.
 * @param ca certificates to trust, in tests
 */
export function openProvider(identity: IdentityContext, ca: string | undefined): Provider {
  const { log, throttle } = identity;
  const provider = createProvider({ ...identity, documents: openDocuments(identity, ca) });
  const accountIn = async (ctx: Context) => (await provider.Session.get(ctx)).accountId;
  const served: ProviderContext = { ...identity, provider };
  provider.on("server_error", (_ctx, error) =>
    log.error({ reason: error.message }, "an OAuth request failed"),
  );
  // Koa sees only errors of clients that hung up, because explainFailures handles the others.
  provider.silent = true;
  provider.use(explainFailures(log));
  provider.use((ctx, next) => {
    const known = { network: ctx.ip, userAgent: ctx.get("user-agent") };
    return duringRequest({ ...known, findAccount: () => accountIn(ctx) }, next);
  });
  provider.use(servePages(served));
  provider.use(throttleRegistrations(throttle));
  provider.use(boundAuthorizations);
  provider.use(signInFirst(accountIn));
  provider.use(keepStrangersHere(provider));
  provider.use(knownScopes(identity));
  provider.use(refreshWhole);
  provider.use(listScopes);
  provider.use(tellSignOut(served));
  return provider;
}

/** A stranger's request is kept in an address, and proxies refuse answers with long ones. */
const maxRequest = 2_560;
const maxValue = 1_024;

const signInScopes = ["openid", "offline_access", "email", "profile"];

/**
 * Drops unknown scopes. An authorization request without others asks for habits, todos and categories (RFC 6749 §3.3),
 * unless another service merely signs somebody in: `openid` without a resource, by an app with a secret.
 */
function knownScopes({ pool }: Pick<IdentityContext, "pool">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { scope = "", resource, client_id } = ctx.query;
    if (ctx.path !== "/authorize" || Array.isArray(scope)) return next();
    const asked = scope.split(/\s+/).filter((word) => isScope(word) || signInScopes.includes(word));
    const isSignIn = asked.includes("openid") && !resource;
    const isWhole =
      asked.some(isScope) || (isSignIn && (await findApp(pool, String(client_id)))?.client_secret);
    ctx.query = { ...ctx.query, scope: [...asked, ...(isWhole ? [] : usualScopes)].join(" ") };
    return next();
  };
}

/** Drops the scope of a refresh: some apps repeat what they asked for, but the grant alone says what they get. */
async function refreshWhole(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === "/token") {
    const { scope: _, ...form } = parse(await text(ctx.req));
    Object.assign(ctx.req, { body: form });
  }
  return next();
}

async function boundAuthorizations(ctx: Context, next: Next): Promise<void> {
  if (ctx.path !== "/authorize" || !isTooLong(ctx)) return next();
  await reply(ctx, refusal(414, "An app sent you here with a request that is too long."));
}

type Authorizing = Context & Partial<KoaContextWithOIDC>;

/**
 * Redirects people who are not signed in to the sign-in, which leads back to the same request. So strangers store
 * nothing, cannot fill the store, and make the provider read no document.
 */
function signInFirst(accountIn: (ctx: Context) => Promise<string | undefined>) {
  return async (ctx: Authorizing, next: Next): Promise<void> => {
    const isOfDocument = ctx.path === "/authorize" && documentHost(String(ctx.query.client_id)) !== undefined;
    if (isOfDocument && !(await accountIn(ctx))) return toSignIn(ctx, ctx.query);
    await next();
    const interaction = ctx.oidc?.entities.Interaction;
    if (interaction && !ctx.oidc?.session?.accountId) toSignIn(ctx, interaction.params);
  };
}

function toSignIn(ctx: Context, { prompt, ...params }: Readonly<Record<string, unknown>>): void {
  const others = String(prompt ?? "")
    .split(" ")
    .filter((word) => word !== "login");
  const query = new URLSearchParams({
    next: authorizePath({ ...params, prompt: others.join(" ") || undefined }),
  });
  ctx.redirect(`/sign-in?${query}`);
}

const refusal = (status: number, text: string, headers = {}): Response =>
  message(messageSite, "That did not work", text, { status, headers });

function isTooLong(ctx: Context): boolean {
  // A body without a declared length could be of any size.
  if (ctx.method === "POST") return (ctx.request.length ?? Number.POSITIVE_INFINITY) > maxRequest;
  const values = Object.values(ctx.query).flat();
  return ctx.querystring.length > maxRequest || values.some((value) => (value ?? "").length > maxValue);
}

type Failed = Authorizing & { state: { oauthError?: Error } };

/**
 * Sends an error to a registered app only when the person is signed in. Anybody may register an app, so otherwise
 * this server would redirect strangers to any address, which serves phishing (RFC 9700 §4.11.2).
 */
function keepStrangersHere(provider: Provider) {
  provider.on("authorization.error", (ctx, error) => {
    ctx.state.oauthError = error;
  });
  return async (ctx: Failed, next: Next): Promise<void> => {
    await next();
    const { oidc, state } = ctx;
    if (!state.oauthError || oidc?.session?.accountId) return;
    ctx.remove("Location");
    await reply(ctx, refusedRequestPage(state.oauthError, ctx));
  };
}

/** Lists the scopes of the service in the metadata, beside those of sign-in (RFC 8414 §2). */
async function listScopes(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.path.startsWith("/.well-known/") && isObject(ctx.body)) {
    ctx.body.scopes_supported = [allScopes, ctx.body.scopes_supported].flat();
  }
}

type EndedSession = Readonly<{ destroyed?: boolean; accountId?: string | undefined; uid: string }>;

/** Ends the session for all pages after a sign-out by RP-Initiated Logout 1.0, which oidc-provider serves. */
function tellSignOut(identity: ProviderContext) {
  const { provider } = identity;
  return async (ctx: Authorizing, next: Next): Promise<void> => {
    // If nobody is signed in, oidc-provider would store something and answer with a form that only a script sends.
    if (ctx.path === "/session/end" && !(await provider.Session.get(ctx)).accountId)
      return reply(ctx, signedOutPage());
    await next();
    if (!ctx.path.startsWith("/session/end")) return;
    const session: EndedSession | undefined = ctx.oidc?.session;
    if (!session?.destroyed || !session.accountId) return;
    await endAccountSessions(identity, session.accountId, { only: session.uid });
  };
}
