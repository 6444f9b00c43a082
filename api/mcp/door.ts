import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Actor } from "../../shared/actor.ts";
import type { Contract } from "../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../shared/contracts/mcp-resource.ts";
import type { Scope } from "../../shared/contracts/scopes.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { printable } from "../../shared/domain/printable.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import { addChallenge } from "../auth/challenge.ts";
import { isObject, isPlainJson, parseJson, readText } from "../http/body.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { keptWaiting, requestIdOf, traceOf } from "../http/request.ts";
import { admit, type CallContext } from "./admit.ts";
import { findTool, rejectCall, runTool } from "./call.ts";
import { invalidRequest, rpcRefusal } from "./errors.ts";
import { logCall, type ReceivedCall } from "./log-call.ts";
import { findResource, readResource } from "./resources.ts";
import { type Answer, serveMessage } from "./serve.ts";

export type McpContext = CallContext &
  Readonly<{
    config: Config;
    authenticate: Authenticate;
    /** When a call came in (epoch ms). */
    now(): number;
    /** Counts messages that are no calls. */
    messageLimit: RateLimit;
  }>;

/** Answers the MCP endpoint: 403 for foreign hosts and origins, 405, 401, 503, then the message itself. */
export async function answerMcp(context: McpContext, request: Request): Promise<Response> {
  const hosts = [new URL(context.config.baseUrl).hostname, ...localhostAllowedHostnames()];
  const foreign = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
  if (foreign) return foreign;
  if (request.method !== "POST") return rpcRefusal(onlyPost, new Headers({ allow: "POST" }));
  const authorization = request.headers.get("authorization");
  const caller = await context.authenticate(authorization);
  if (isRefused(caller)) {
    const demand = { resource: "mcp", tokenSent: authorization !== null } as const;
    return rpcRefusal(caller.refusal, addChallenge(context.config, caller.refusal, demand));
  }
  const { actor } = caller;
  const message = await readMessage(request);
  if (!(message instanceof Response)) {
    const asked = askedIn(message);
    const call = asked && receivedCall(asked, actor, request, context.now());
    if (call) return answerAsked(context, { message, call }, asked);
  }
  const allowance = await context.messageLimit(actor.tokenId, actor.userId);
  if (allowance && !allowance.allowed) {
    // A client that does not wait is made to.
    keptWaiting(request);
    await Bun.sleep(heldBackMs);
    return rpcRefusal(tooMany(allowance.resetInSeconds));
  }
  return message instanceof Response ? message : serveMessage(request, message, undefined);
}

const heldBackMs = 500;
const tooMany = (retryAfterSeconds: number) =>
  refuse("rate_limited", "Too many messages that are no calls.", { retryAfterSeconds }).refusal;

const { refusal: onlyPost } = refuse("method_not_allowed", "This address answers only to POST.");
const { refusal: notJson } = refuse("malformed_body", "The request body must be one JSON-RPC message.");
const { refusal: notJsonType } = refuse("unsupported_media_type", "Send the message as application/json.");

async function readMessage(request: Request): Promise<Fields | Response> {
  if (!isPlainJson(request)) return rpcRefusal(notJsonType);
  const text = await readText(request);
  if (typeof text !== "string") return rpcRefusal(text.refusal);
  const message = parseJson(text);
  if (message === undefined) return rpcRefusal(notJson);
  if (Array.isArray(message)) return invalidRequest("Batches are not supported: send one message a request.");
  return isObject(message) ? message : invalidRequest(notJson.message);
}

/** What a message asks for: a tool, or a read of a resource, which is logged as a call. */
type Asked = Readonly<{ isRead: boolean; name: string; args: Fields }>;
type Received = Readonly<{ message: Fields; call: ReceivedCall }>;

async function answerAsked(context: McpContext, received: Received, asked: Asked): Promise<Response> {
  const { call } = received;
  if (asked.isRead)
    return answerCall(context, received, findResource(asked.args.uri), (found) => ({
      method: resourceRead,
      run: () => readResource(context, call, found),
    }));
  return answerCall(context, received, findTool(asked.name), (tool) => ({
    method: "tools/call",
    run: () => (isRefused(tool) ? rejectCall(context, call, tool) : runTool(context, call, tool)),
  }));
}

async function answerCall<Target extends Readonly<{ contract: Contract }>>(
  context: McpContext,
  { message, call }: Received,
  target: Target | Refused,
  answer: (admitted: Target | Refused) => Answer,
): Promise<Response> {
  const admitted = await admit(context, call, target);
  const isForbidden = isRefused(admitted) && admitted.refusal.code === "insufficient_scope";
  if (isForbidden && !isRefused(target))
    return forbid(context, call, admitted, target.contract.scopes, message.id);
  return serveMessage(call.request, message, answer(admitted));
}

/** @returns undefined when the JSON-RPC message asks for neither, or is malformed */
function askedIn({ method, params, id }: Fields): Asked | undefined {
  const isAnswerable = typeof id === "string" || typeof id === "number";
  if (!isAnswerable || !isObject(params)) return undefined;
  const { name, uri, arguments: args = {} } = params;
  if (method === "tools/call" && typeof name === "string" && isObject(args))
    return { isRead: false, name, args };
  if (method === resourceRead && typeof uri === "string")
    return { isRead: true, name: resourceRead, args: { uri } };
  return undefined;
}

const maxToolName = 128;

const receivedCall = (
  { name, args }: Asked,
  actor: Actor,
  request: Request,
  startedAt: number,
): ReceivedCall => ({
  request,
  actor,
  args,
  record: {
    requestId: requestIdOf(request),
    ...traceOf(request),
    tokenId: actor.tokenId,
    clientName: actor.clientName === null ? null : printable(actor.clientName),
    tool: printable(name).slice(0, maxToolName),
    startedAt,
  },
});

/** A missing scope is answered over HTTP, so that OAuth clients can step up. */
async function forbid(
  context: McpContext,
  call: ReceivedCall,
  { refusal }: Refused,
  scopes: readonly Scope[],
  id: unknown,
): Promise<Response> {
  const logged = await logCall(context, call, refusal);
  if (isRefused(logged)) return rpcRefusal(logged.refusal, new Headers(), id);
  const demand = { resource: "mcp", tokenSent: true, scopes } as const;
  return rpcRefusal(refusal, addChallenge(context.config, refusal, demand), id);
}
