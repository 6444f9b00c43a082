import type { Contract } from "../../shared/contracts/catalogue.ts";
import type { Route } from "../../shared/contracts/contract.ts";
import { entityTag, failedPrecondition, type Preconditions } from "../../shared/domain/preconditions.ts";
import { preconditionFailed } from "../../shared/errors.ts";
import { jsonResponse, refusalResponse } from "../http/response.ts";

/** Whether a route answers with what has a state of its own, and so an entity tag and preconditions. */
export const isConditional = ({ resource }: Contract, { method, status }: Route): boolean =>
  method === "GET" || status === 201 || resource !== undefined;

/** @returns undefined for a request without preconditions */
export function preconditionsOf({ headers }: Request): Preconditions | undefined {
  const ifMatch = headers.get("if-match") ?? undefined;
  const ifNoneMatch = headers.get("if-none-match") ?? undefined;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/** A successful answer with its entity tag. A read's preconditions are looked at here, a change's by the worker. */
export function shownResponse(contract: Contract, route: Route, request: Request, answer: Answer): Response {
  const { body, headers } = answer;
  const json = JSON.stringify(body);
  if (!isConditional(contract, route)) return jsonResponse(json, route.status, headers);
  const tag = entityTag(json);
  headers.set("etag", tag);
  const conditions = route.method === "GET" ? preconditionsOf(request) : undefined;
  const failed = conditions && failedPrecondition(conditions, tag);
  if (failed === "If-Match") return refusalResponse(preconditionFailed(failed).refusal, headers);
  if (failed === "If-None-Match") return new Response(null, { status: 304, headers });
  return jsonResponse(json, route.status, headers);
}

type Answer = Readonly<{ body: unknown; headers: Headers }>;
