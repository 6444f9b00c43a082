import type { JsonBody } from "../../../harness.ts";
import type { Answer, Attempt, Operation, Resource, ToolRequest } from "../history.ts";
import { restRequest, toolRequest } from "./requests.ts";

/** The addresses and the token of a client. */
export type Caller = Readonly<{ doors: readonly string[]; token: string }>;

/** A door that is frozen for longer than any promised answer takes is given up. */
const patienceMs = 5_000;

/** Sends an operation once, through the door of that number. */
export async function attempt(caller: Caller, operation: Operation, door: number): Promise<Attempt> {
  const call = operation.via === "mcp" ? toolRequest(operation) : undefined;
  const from = Date.now();
  const answer = await (call ? sendCall(caller, door, call) : sendRest(caller, door, operation)).catch(
    (error: Error & { code?: string }): Answer => ({
      verdict: "unanswered",
      reason: String(error.code ?? error.name),
    }),
  );
  return { door, from, to: Date.now(), answer, ...(call && { call }) };
}

type Sent = Readonly<{ method: string; path: string; body?: object; key?: string | undefined }>;
type Received = Readonly<{ status: number; headers: Headers; body: JsonBody }>;

async function send({ doors, token }: Caller, door: number, sent: Sent): Promise<Received> {
  const { method, path, body, key } = sent;
  const response = await fetch(`${doors[door]}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
    // On a used connection, Bun repeats a request by itself if that connection just ended.
    keepalive: false,
    signal: AbortSignal.timeout(patienceMs),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, body: text === "" ? {} : JSON.parse(text) };
}

async function sendRest(caller: Caller, door: number, { action, key }: Operation): Promise<Answer> {
  const { method, path, body } = restRequest(action);
  const whole = await send(caller, door, {
    ...{ method, path: `/api/v1${path}`, key },
    ...(body && { body }),
  });
  const { status, body: told } = whole.body.results?.[0] ?? whole;
  if (status < 300)
    return {
      ...{ verdict: "done", resource: resourceOf(told) },
      replayed: whole.headers.has("idempotent-replayed"),
    };
  if (status === 422) return { verdict: "refused", code: "invalid" };
  return refusalOf(told, `${status} ${JSON.stringify(told)}`);
}

async function sendCall(caller: Caller, door: number, call: ToolRequest): Promise<Answer> {
  const params = { name: call.tool, arguments: call.arguments };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { status, body: told } = await send(caller, door, { method: "POST", path: "/mcp", body });
  const whole = `${status} ${JSON.stringify(told)}`;
  if (status !== 200 || !told.result) return refusalOf(told.error?.data ?? told, whole);
  // Without the person's day, for example while the database is away, a refusal has its facts in `_meta`.
  const { isError, structuredContent, _meta } = told.result;
  const facts = structuredContent ?? _meta ?? {};
  if (isError) return refusalOf(facts, whole);
  const resource = resourceOf(facts.todo ?? facts.habit ?? {});
  return { verdict: "done", resource, replayed: facts.replayed === true };
}

/** A refusal is known by its code alone. */
function refusalOf({ code, applied }: JsonBody, told: string): Answer {
  if (code === "not_found" || code === "conflict" || code === "invalid") return { verdict: "refused", code };
  const isUnavailable = code === "overloaded" && (applied === "no" || applied === "unknown");
  return isUnavailable ? { verdict: applied } : { verdict: "wrong", told };
}

/** Agents get no false fields: a missing field of a todo or habit is false. */
function resourceOf(told: JsonBody): Resource {
  const { id, title, name, is_completed = false, is_completed_today = false } = told;
  return { id, title, name, is_completed, is_completed_today };
}
