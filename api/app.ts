import { type AnyElysia, Elysia } from "elysia";
import { contracts } from "../shared/contracts/catalogue.ts";
import { refuse } from "../shared/errors.ts";
import { favicon } from "../shared/web/assets.ts";
import { accountPaths } from "./account/router.ts";
import { metadataPaths, resourceMetadata } from "./auth/challenge.ts";
import type { Health } from "./http/health.ts";
import type { Metrics } from "./http/metrics.ts";
import { refusalResponse } from "./http/refusal-response.ts";
import { cacheable } from "./http/response-headers.ts";
import { answerMcp, type McpContext } from "./mcp/door.ts";
import { rpcRefusal } from "./mcp/errors.ts";
import { answerRest, type RestContext, restPrefix } from "./rest/door.ts";
import { openApiDocument } from "./rest/openapi.ts";

export type AppContext = RestContext &
  McpContext &
  Readonly<{ metrics: Metrics; health(): Promise<Health>; answerPage(request: Request): Promise<Response> }>;

/** The front door: every route of every contract, the metadata documents and the health checks. */
export function createApp(context: AppContext) {
  const app = new Elysia({ aot: true, normalize: false })
    .onError(({ error, code, request }) => {
      if (code === "NOT_FOUND")
        return refusalResponse(refuse("not_found", "There is nothing at this address.").refusal);
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const what = { method: request.method, path: new URL(request.url).pathname };
      if (isFault(error)) context.log.error({ ...what, reason: stack }, "request failed");
      else context.log.warn({ ...what, reason: message }, "database unavailable");
      const { refusal } = isFault(error) ? fault : away;
      return what.path === "/mcp" ? rpcRefusal(refusal) : refusalResponse(refusal);
    })
    .get("/health/live", () => Response.json({ status: "ok" }))
    .get("/health/ready", async () => {
      const health = await context.health();
      return Response.json(health, { status: health.status === "ok" ? 200 : 503 });
    });
  const openApi = openApiDocument(context.config.baseUrl);
  app.get("/openapi.json", () => Response.json(openApi, { headers: cacheable }));
  for (const resource of ["rest", "mcp"] as const) {
    app.get(metadataPaths[resource], () =>
      Response.json(resourceMetadata(context.config, resource), { headers: cacheable }),
    );
  }
  app.get(favicon.path, favicon.response);
  for (const path of accountPaths)
    app.all(path, ({ request }) => context.answerPage(request), { parse: "none" });
  const answerCall = ({ request }: { request: Request }) =>
    context.metrics.measure(request.method, "/mcp", () => answerMcp(context, request));
  app.all("/mcp", answerCall, { parse: "none" });
  addRestRoutes(app, context);
  return app;
}

const fault = refuse("internal", "This request failed because of a fault of the service.");
const away = refuse("overloaded", "The service is briefly unable to answer. Please try again.", {
  applied: "no",
  retryAfterSeconds: 1,
});

/** A mistake in our code, as against a database that cannot be reached. */
const isFault = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

function addRestRoutes(app: AnyElysia, context: AppContext): void {
  const methodsOf = new Map<string, string[]>();
  for (const contract of contracts) {
    for (const route of contract.rest ?? []) {
      const path = `${restPrefix}${route.path.replace(/\{(\w+)\}/g, ":$1")}`;
      methodsOf.set(path, [...(methodsOf.get(path) ?? []), route.method]);
      const answer = (request: Request, params: Record<string, string>) =>
        context.metrics.measure(route.method, route.path, () =>
          answerRest(context, contract, route, request, params),
        );
      app.route(route.method, path, ({ request, params }) => answer(request, params ?? {}), {
        parse: "none",
      });
    }
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.join(", ");
    const refused = refuse("method_not_allowed", `This address answers only to ${allow}.`);
    app.all(path, () => refusalResponse(refused.refusal, new Headers({ allow })), { parse: "none" });
  }
}
