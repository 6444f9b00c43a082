import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Actor } from "../../shared/actor.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import type { ServerClock } from "../../shared/db/server-clock.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import { scopeChallenge, unauthenticatedChallenge } from "../auth/challenge.ts";
import { isObject, parseJson, readText } from "../http/body.ts";
import { admit, type Call, type CallContext, carryOut, turnAway } from "./call.ts";
import { invalidRequest, rpcRefusal } from "./errors.ts";
import { logCall } from "./log-call.ts";
import { serveMessage } from "./serve.ts";
import { createServer } from "./server.ts";
import { callOf } from "./tool-call.ts";
import { tools } from "./tools.ts";

export type McpContext = CallContext &
  Readonly<{ config: Config; authenticate: Authenticate; clock: Pick<ServerClock, "now"> }>;

/** Answers the MCP endpoint: 403 for foreign hosts and origins, 405, 401, 503, then the message itself. */
export async function answerMcp(context: McpContext, request: Request): Promise<Response> {
  const hosts = [new URL(context.config.baseUrl).hostname, ...localhostAllowedHostnames()];
  const foreign = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
  if (foreign) return foreign;
  if (request.method !== "POST") return rpcRefusal(onlyPost, new Headers({ allow: "POST" }));
  const authorization = request.headers.get("authorization");
  const caller = await context.authenticate(authorization);
  if (isRefused(caller)) {
    const headers = new Headers();
    const challenge = unauthenticatedChallenge(context.config, "mcp", authorization !== null);
    if (caller.refusal.code === "unauthenticated") headers.set("www-authenticate", challenge);
    return rpcRefusal(caller.refusal, headers);
  }
  const message = await readMessage(request);
  return message instanceof Response ? message : answerMessage(context, request, message, caller.actor);
}

const { refusal: onlyPost } = refuse("method_not_allowed", "This address answers only to POST.");
const { refusal: notJson } = refuse("malformed_body", "The request body must be one JSON-RPC message.");
const { refusal: notJsonType } = refuse("unsupported_media_type", "Send the message as application/json.");

async function readMessage(request: Request): Promise<Fields | Response> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") return rpcRefusal(notJsonType);
  const text = await readText(request);
  if (typeof text !== "string") return rpcRefusal(text.refusal);
  const message = parseJson(text);
  if (message === undefined) return rpcRefusal(notJson);
  if (Array.isArray(message)) return invalidRequest("Batches are not supported: send one message a request.");
  return isObject(message) ? message : invalidRequest(notJson.message);
}

async function answerMessage(
  context: McpContext,
  request: Request,
  message: Fields,
  actor: Actor,
): Promise<Response> {
  const call = callOf(message, actor, context.clock.now());
  if (!call) return serveMessage(request, message, () => createServer(undefined));
  const admitted = await admit(context, call);
  if (isRefused(admitted) && admitted.refusal.code === "insufficient_scope")
    return forbid(context, call, admitted, message.id);
  const answer = () =>
    isRefused(admitted) ? turnAway(context, call, admitted) : carryOut(context, call, admitted);
  return serveMessage(request, message, () => createServer(answer));
}

/** A missing scope is answered over HTTP, so that OAuth clients can step up. */
async function forbid(context: McpContext, call: Call, { refusal }: Refused, id: unknown): Promise<Response> {
  const unlogged = await logCall(context, call, refusal.code);
  if (unlogged) return rpcRefusal(unlogged.refusal, new Headers(), id);
  const scopes = tools.get(call.record.tool)?.contract.scopes ?? [];
  const challenge = scopeChallenge(context.config, "mcp", scopes);
  return rpcRefusal(refusal, new Headers({ "www-authenticate": challenge }), id);
}
