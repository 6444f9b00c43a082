import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Actor } from "../../shared/actor.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { printable } from "../../shared/domain/printable.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { type CallerContext, challengeHeaders, findCaller } from "../auth/caller.ts";
import { isObject, parseJson, readText } from "../http/body.ts";
import { isPlainJson } from "../http/media-type.ts";
import { admit, type CallContext, rejectCall, runTool } from "./call.ts";
import { invalidRequest, rpcRefusal } from "./errors.ts";
import { logCall, type ReceivedCall } from "./log-call.ts";
import { serveMessage } from "./serve.ts";
import { tools } from "./tools.ts";

export type McpContext = CallContext &
  CallerContext &
  Readonly<{
    config: Config;
    /** When a call came in (epoch ms). */
    now(): number;
  }>;

/** Answers the MCP endpoint: 403 for foreign hosts and origins, 405, 401, 503, then the message itself. */
export async function answerMcp(context: McpContext, request: Request): Promise<Response> {
  const hosts = [new URL(context.config.baseUrl).hostname, ...localhostAllowedHostnames()];
  const foreign = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
  if (foreign) return foreign;
  if (request.method !== "POST") return rpcRefusal(onlyPost, new Headers({ allow: "POST" }));
  const caller = await findCaller(context, "mcp", request);
  if (isRefused(caller)) return rpcRefusal(caller.refusal, caller.headers);
  const message = await readMessage(request);
  return message instanceof Response ? message : answerMessage(context, request, message, caller.actor);
}

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

async function answerMessage(
  context: McpContext,
  request: Request,
  message: Fields,
  actor: Actor,
): Promise<Response> {
  const call = callIn(message, actor, context.now());
  if (!call) return serveMessage(request, message, undefined);
  const admitted = await admit(context, call);
  if (isRefused(admitted) && admitted.refusal.code === "insufficient_scope")
    return forbid(context, call, admitted, message.id);
  const answer = () =>
    isRefused(admitted) ? rejectCall(context, call, admitted) : runTool(context, call, admitted);
  return serveMessage(request, message, answer);
}

const maxToolName = 128;

/** @returns undefined when the JSON-RPC message is no tool call, or a malformed one */
function callIn(message: Fields, actor: Actor, startedAt: number): ReceivedCall | undefined {
  const { method, params, id } = message;
  const isAnswerable = typeof id === "string" || typeof id === "number";
  if (method !== "tools/call" || !isAnswerable || !isObject(params)) return undefined;
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string" || !isObject(args)) return undefined;
  return {
    actor,
    args,
    record: {
      requestId: Bun.randomUUIDv7(),
      tokenId: actor.tokenId,
      clientName: actor.clientName === null ? null : printable(actor.clientName),
      tool: printable(name).slice(0, maxToolName),
      startedAt,
    },
  };
}

/** A missing scope is answered over HTTP, so that OAuth clients can step up. */
async function forbid(
  context: McpContext,
  call: ReceivedCall,
  { refusal }: Refused,
  id: unknown,
): Promise<Response> {
  const logged = await logCall(context, call, refusal.code);
  if (isRefused(logged)) return rpcRefusal(logged.refusal, new Headers(), id);
  const scopes = tools.get(call.record.tool)?.contract.scopes ?? [];
  return rpcRefusal(refusal, challengeHeaders(context.config, "mcp", refusal, true, scopes), id);
}
