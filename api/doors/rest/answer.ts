import { entityTag, failedPrecondition } from "../../../shared/domain/preconditions.ts";
import { preconditionFailed } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import { isObject } from "../../http/input/body.ts";
import { jsonResponse, refusalResponse } from "../../http/response.ts";
import { preconditionsOf } from "./content.ts";
import type { Target } from "./route.ts";

export const restPrefix = "/api/v1";

type Answer = Readonly<{ body: unknown; headers: Headers }>;

/** A successful answer. A read's preconditions are looked at here, a change's by the worker. */
export function successResponse(
  { baseUrl }: Pick<Config, "baseUrl">,
  { route, isConditional }: Target,
  request: Request,
  { body, headers }: Answer,
): Response {
  const { method, path, status } = route;
  if (body === null || status === 204) return new Response(null, { status: 204, headers });
  if (status === 201 && isObject(body)) headers.set("location", `${baseUrl}${restPrefix}${path}/${body.id}`);
  const json = JSON.stringify(body);
  if (!isConditional) return jsonResponse(json, status, headers);
  const tag = entityTag(json);
  headers.set("etag", tag);
  const conditions = method === "GET" ? preconditionsOf(request) : undefined;
  const failed = conditions && failedPrecondition(conditions, tag);
  if (failed === "If-Match") return refusalResponse(preconditionFailed(failed).refusal, headers);
  if (failed === "If-None-Match") return new Response(null, { status: 304, headers });
  return jsonResponse(json, status, headers);
}
