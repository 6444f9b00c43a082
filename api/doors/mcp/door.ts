import { hostHeaderValidationResponse, localhostAllowedHostnames } from "@modelcontextprotocol/server";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { resourceRead } from "../../../shared/contracts/kernel/tool.ts";
import { isRefused, type Refused, refuse } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Authenticate } from "../../auth/authenticate.ts";
import { addChallenge } from "../../auth/challenge.ts";
import type { UseCount } from "../../auth/use-count.ts";
import { isObject, isPlainJson, parseJson, readText } from "../../http/input/body.ts";
import type { Fields } from "../../http/input/validate.ts";
import type { Observe } from "../../http/observe.ts";
import { printable } from "../../http/printable.ts";
import type { RateLimit } from "../../http/rate-limit.ts";
import { clientOf, keptWaiting, senderOf } from "../../http/request.ts";
import type { Actor } from "../../mailbox/actor.ts";
import { admit, answerCall, type CallContext } from "./call.ts";
import { invalidRequest, rpcRefusal } from "./errors.ts";
import { logCall, type ReceivedCall } from "./log-call.ts";
import { askedResource } from "./resources/resources.ts";
import { serveMessage } from "./serve.ts";
import type { Asked } from "./target.ts";
import { askedTool, toolScopes } from "./tools.ts";

export type McpContext = CallContext &
  Readonly<{
    config: Config;
    observe: Observe;
    authenticate: Authenticate;
    /** Counts uses of tokens for the account journal. */
    noteUse: UseCount["note"];
    /** Dates calls (epoch ms). */
    now(): number;
    /** Counts messages that are not calls; undefined when they have no limit. */
    messageLimit: RateLimit | undefined;
  }>;

/**
 * The hosts at which the endpoint answers, so that no foreign page reaches it by DNS rebinding. Any origin may ask,
 * because a browser adds no token by itself.
 */
const servedHosts = ({ baseUrl, authAudience }: Pick<Config, "baseUrl" | "authAudience">): string[] => [
  // A former address may be among the audiences, and lead here still.
  ...[baseUrl, ...authAudience].flatMap((address) => URL.parse(address)?.hostname || []),
  ...localhostAllowedHostnames(),
];

/** Makes the handler of the MCP endpoint. */
export function mcpHandler(context: McpContext, path: string) {
  const hosts = servedHosts(context.config);
  return ({ request }: Readonly<{ request: Request }>): Promise<Response> =>
    context.observe(request, { method: request.method, path }, () => answerMcp(context, hosts, request));
}

/** Answers the MCP endpoint: 403 for foreign hosts, 405, 401, 503, then the message itself. */
async function answerMcp(context: McpContext, hosts: string[], request: Request): Promise<Response> {
  const foreign = hostHeaderValidationResponse(request, hosts);
  if (foreign) return foreign;
  if (request.method !== "POST") return rpcRefusal(onlyPost, new Headers({ allow: "POST" }));
  const caller = await context.authenticate(request.headers.get("authorization"));
  if (isRefused(caller)) return rpcRefusal(caller.refusal, challengeOf(context, request, caller, toolScopes));
  const { actor } = caller;
  return answerMessage(context, actor, request).finally(() =>
    context.noteUse(actor, clientOf(request), false),
  );
}

async function answerMessage(context: McpContext, actor: Actor, request: Request): Promise<Response> {
  const message = await readMessage(request);
  const asked = message instanceof Response ? undefined : askedIn(message);
  if (message instanceof Response || !asked) return answerOther(context, actor, request, message);
  return answerAsked(context, message, receivedCall(context, actor, request, asked));
}

const { refusal: onlyPost } = refuse("method_not_allowed", "This address answers only to POST.");
const { refusal: notJson } = refuse("malformed_body", "The request body must be one JSON-RPC message.");
const { refusal: notJsonType } = refuse("unsupported_media_type", "Send the message as application/json.");

const challengeOf = (
  { config }: McpContext,
  { headers }: Request,
  { refusal }: Refused,
  scopes: readonly Scope[],
): Headers =>
  addChallenge(config, refusal, { resource: "mcp", tokenSent: headers.has("authorization"), scopes });

async function readMessage(request: Request): Promise<Fields | Response> {
  if (!isPlainJson(request)) return rpcRefusal(notJsonType);
  const text = await readText(request);
  if (typeof text !== "string") return rpcRefusal(text.refusal);
  const message = parseJson(text);
  if (isObject(message)) return message;
  if (message === undefined) return rpcRefusal(notJson);
  if (Array.isArray(message)) return invalidRequest("Batches are not supported: send one message a request.");
  return invalidRequest(notJson.message);
}

/** @returns undefined when the JSON-RPC message asks for neither a tool nor a resource, or is malformed */
function askedIn({ method, params, id }: Fields): Asked | undefined {
  if (!isObject(params) || (typeof id !== "string" && typeof id !== "number")) return undefined;
  if (method === "tools/call") return askedTool(params);
  return method === resourceRead ? askedResource(params) : undefined;
}

const maxToolName = 128;

function receivedCall({ now }: McpContext, actor: Actor, request: Request, asked: Asked): ReceivedCall {
  const tool = isRefused(asked.target) ? printable(asked.name).slice(0, maxToolName) : asked.name;
  const record = { ...senderOf(request, "mcp", actor), tool, startedAt: now() };
  return { ...asked, request, actor, record };
}

async function answerAsked(context: McpContext, message: Fields, call: ReceivedCall): Promise<Response> {
  const admitted = await admit(context, call);
  if (isRefused(admitted) && admitted.refusal.code === "insufficient_scope")
    return forbid(context, call, admitted, message.id);
  const { baseUrl } = context.config;
  const answer = () => answerCall(context, call, admitted);
  return serveMessage(call.request, message, { answer, baseUrl });
}

/** A missing scope is answered over HTTP, so that OAuth clients can step up. */
async function forbid(
  context: McpContext,
  call: ReceivedCall,
  forbidden: Refused,
  id: unknown,
): Promise<Response> {
  const { request, target } = call;
  const logged = await logCall(context, call, forbidden.refusal);
  if (isRefused(logged)) return rpcRefusal(logged.refusal, new Headers(), id);
  const scopes = isRefused(target) ? [] : target.scopes;
  return rpcRefusal(forbidden.refusal, challengeOf(context, request, forbidden, scopes), id);
}

const heldBackMs = 500;
const tooMany = (retryAfterSeconds: number) =>
  refuse("rate_limited", "Too many messages other than tool calls.", { retryAfterSeconds }).refusal;

/** Answers a message that is not a call, or is malformed. */
async function answerOther(
  { messageLimit, config: { baseUrl } }: McpContext,
  { tokenId, userId }: Actor,
  request: Request,
  message: Fields | Response,
): Promise<Response> {
  const allowance = await messageLimit?.(tokenId, userId);
  if (allowance?.allowed === false) {
    // A client over the limit has to wait for its answer.
    keptWaiting(request);
    await Bun.sleep(heldBackMs);
    return rpcRefusal(tooMany(allowance.resetInSeconds));
  }
  return message instanceof Response ? message : serveMessage(request, message, { baseUrl });
}
