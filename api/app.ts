import { type AnyElysia, Elysia } from "elysia";
import { contracts } from "../shared/contracts/catalogue.ts";
import { DatabaseFailure } from "../shared/db/database-failure.ts";
import { actPath } from "../shared/domain/reminder/link.ts";
import { type Refusal, refuse } from "../shared/errors.ts";
import { metadataPaths, resourceMetadata } from "./auth/challenge.ts";
import { ZoneNotClaimed } from "./auth/claim-zone.ts";
import { rememberFor } from "./auth/provider.ts";
import type { McpContext } from "./doors/mcp/door.ts";
import { rpcRefusal } from "./doors/mcp/errors.ts";
import { answerFeed, type CalendarContext } from "./doors/pages/calendar/feed.ts";
import { isForPeople, nothingHerePage } from "./doors/pages/front/page.ts";
import { type ActContext, answerAct } from "./doors/pages/reminder/act.ts";
import { accountPaths, routeOfPage } from "./doors/pages/router.ts";
import { type RestContext, restHandler } from "./doors/rest/door.ts";
import { openApiDocument } from "./doors/rest/openapi/document.ts";
import { referencePage } from "./doors/rest/reference/page.ts";
import { restPrefix, restRoute } from "./doors/rest/route.ts";
import { loggedIds, loggedPath, pathOf } from "./http/request.ts";
import { cacheable, compressed, fault, nothingHere, refusalResponse } from "./http/response.ts";
import { assets } from "./web/assets.ts";

type AppContext = RestContext &
  McpContext &
  Readonly<{
    answerPage(request: Request): Promise<Response>;
    /** Undefined if another provider signs people in. */
    answerProvider: ((request: Request) => Promise<Response>) | undefined;
    calendar: CalendarContext;
    acts: ActContext;
  }>;

const mcpPath = "/mcp";

/** Puts a refusal into the form of the door that owns the address. */
const refusalAt = (path: string, refusal: Refusal): Response =>
  path === mcpPath ? rpcRefusal(refusal) : refusalResponse(refusal);

const { refusal: overloaded } = refuse("overloaded", "The service is overloaded.", {
  next: "Please try again.",
  applied: "no",
  retryAfterSeconds: 1,
});

/** Answers a request for which this process has no room. */
export const refuseUnread = ({ url }: Request): Response => refusalAt(pathOf(url), overloaded);

/** The front door, with all routes. */
export function createApp(context: AppContext): AnyElysia {
  const app = new Elysia({ aot: true, normalize: false }).onError(({ error, code, request }) =>
    code === "NOT_FOUND" ? nothingAt(request) : answerError(context, request, error),
  );
  addPublicDocuments(app, context);
  addAccountPages(app, context);
  if (context.answerProvider) addProvider(app, context, context.answerProvider);
  app.all(mcpPath, mcpDoor(context), { parse: "none" });
  addRestRoutes(app, context);
  return app;
}

/** The SDK of MCP takes 14 MB, so it is loaded with the first request to its door. */
function mcpDoor(context: AppContext) {
  const load = rememberFor(Number.POSITIVE_INFINITY, async () => {
    const { mcpHandler } = await import("./doors/mcp/door.ts");
    return mcpHandler(context, mcpPath);
  });
  return async ({ request }: Readonly<{ request: Request }>): Promise<Response> =>
    (await load())({ request });
}

const nothingAt = (request: Request): Response =>
  isForPeople(request) ? nothingHerePage() : refusalResponse(nothingHere.refusal);

/** A lost database is an outage that passes; any other thrown error is a fault in Kept's code. */
function answerError({ log }: AppContext, request: Request, error: unknown): Response {
  const { method, url } = request;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const path = loggedPath(url);
  if (error instanceof DatabaseFailure || error instanceof ZoneNotClaimed) {
    log.warn({ ...loggedIds(request), method, path, reason: message }, "database unavailable");
    return refusalAt(path, away.refusal);
  }
  log.error({ ...loggedIds(request), method, path, reason: stack }, "request failed");
  return refusalAt(path, fault.refusal);
}

const away = refuse("overloaded", "The service is briefly unable to answer.", {
  next: "Please try again.",
  applied: "no",
  retryAfterSeconds: 1,
});

function addPublicDocuments(app: AnyElysia, { config }: AppContext): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  /** It is made at its first request, because few ask for it. */
  function openApi() {
    document ??= openApiDocument(config.baseUrl, config);
    return document;
  }
  const showDocs = referencePage(openApi);
  app.get("/openapi.json", ({ request }) =>
    compressed(request, Response.json(openApi(), { headers: cacheable })),
  );
  app.get("/docs", ({ request }) => compressed(request, showDocs()));
  for (const resource of ["rest", "mcp"] as const) {
    const metadata = resourceMetadata(config, resource);
    app.get(metadataPaths[resource], () => Response.json(metadata, { headers: cacheable }));
  }
  for (const { path, response } of assets) app.get(path, ({ request }) => compressed(request, response()));
  const { baseUrl, securityContact } = config;
  if (securityContact) app.get(securityTextPath, () => securityText(baseUrl, securityContact));
}

function addAccountPages(app: AnyElysia, context: AppContext): void {
  const answer = async (request: Request) =>
    compressed(
      request,
      await context.observe(request, routeOfPage(request), () => context.answerPage(request)),
    );
  for (const path of accountPaths) app.all(path, ({ request }) => answer(request), { parse: "none" });
  const feed = { method: "GET", path: "/calendar/:file" };
  app.get(feed.path, ({ request, params }) =>
    context.observe(request, feed, () => answerFeed(context.calendar, request, params.file)),
  );
  const act = `${actPath}:link`;
  app.all(
    act,
    ({ request, params }) =>
      context.observe(request, { method: request.method, path: act }, () =>
        answerAct(context.acts, request, params.link),
      ),
    { parse: "none" },
  );
}

/** The addresses of the built-in provider beside those of the front door; `*` stands for anything. */
const identityPaths = [
  // OAuth and OpenID Connect; clients of older MCP revisions guess the first four.
  "/.well-known/oauth-authorization-server",
  "/authorize",
  "/token",
  "/register",
  "/.well-known/openid-configuration",
  "/authorize/*",
  "/jwks",
  "/revoke",
  "/userinfo",
  "/session/*",
  "/interaction/*",
  "/sign-in",
  "/sign-in/*",
  "/sign-up",
  "/sign-up/*",
  "/sign-out",
  "/forgot-password",
  "/reset-password",
  "/not-me",
  "/profile",
  "/profile/*",
] as const;

function addProvider(
  app: AnyElysia,
  { observe }: AppContext,
  answer: (request: Request) => Promise<Response>,
): void {
  for (const path of identityPaths)
    app.all(
      path,
      async ({ request }) =>
        compressed(request, await observe(request, { method: request.method, path }, () => answer(request))),
      { parse: "none" },
    );
}

function addRestRoutes(app: AnyElysia, context: AppContext): void {
  const methodsOf = new Map<string, string[]>();
  for (const contract of contracts) {
    for (const route of contract.rest ?? []) {
      const path = `${restPrefix}${route.path.replace(/\{(\w+)\}/g, ":$1")}`;
      methodsOf.set(path, [...(methodsOf.get(path) ?? []), route.method]);
      const answer = restHandler(context, restRoute(contract, route));
      app.route(route.method, path, ({ request, params }) => answer(request, params), { parse: "none" });
    }
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.join(", ");
    const refused = refuse("method_not_allowed", `This address answers only to ${allow}.`);
    app.all(path, () => refusalResponse(refused.refusal, new Headers({ allow })), { parse: "none" });
  }
}

const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * security.txt (RFC 9116): the contact for reports of vulnerabilities. It is made at each request, so it always expires
 * in a month.
 */
function securityText(baseUrl: string, contact: string, now = Date.now()): Response {
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(now + lifetimeMs).toISOString()}`,
    `Canonical: ${baseUrl}${securityTextPath}`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

const securityTextPath = "/.well-known/security.txt";
