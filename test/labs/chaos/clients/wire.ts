import type { JsonBody } from "../../../harness.ts";
import type { Answer, Attempt, Operation, Resource } from "../history.ts";
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
      reason: error.code ? String(error.code) : error.name,
    }),
  );
  return { door, from, to: Date.now(), answer, ...(call && { call }) };
}

async function send(
  { doors, token }: Caller,
  door: number,
  { method, path, body, key }: { method: string; path: string; body?: unknown; key?: string | undefined },
): Promise<{ response: Response; body: JsonBody }> {
  const response = await fetch(`${doors[door]}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // On a used connection, Bun repeats a request by itself if that connection just ended.
    keepalive: false,
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  return { response, body: text === "" ? {} : JSON.parse(text) };
}

async function sendRest(caller: Caller, door: number, { action, key }: Operation): Promise<Answer> {
  const { method, path, body } = restRequest(action);
  const { response, body: whole } = await send(caller, door, { method, path: `/api/v1${path}`, body, key });
  const { headers } = response;
  const { status, body: told } = whole.results?.[0] ?? { status: response.status, body: whole };
  if (status < 300)
    return { verdict: "done", resource: resourceOf(told), replayed: headers.has("idempotent-replayed") };
  if (status === 503) return unavailable(told.applied, JSON.stringify(told));
  if (status === 422) return { verdict: "refused", code: "invalid" };
  if (status === 404 || status === 409) return { verdict: "refused", code: told.code };
  return { verdict: "wrong", told: `${status} ${JSON.stringify(told)}` };
}

async function sendCall(
  caller: Caller,
  door: number,
  call: { tool: string; arguments: object },
): Promise<Answer> {
  const params = { name: call.tool, arguments: call.arguments };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { response, body: told } = await send(caller, door, { method: "POST", path: "/mcp", body });
  const whole = `${response.status} ${JSON.stringify(told)}`;
  if (response.status === 503) return unavailable(told.error?.data?.applied ?? told.applied, whole);
  if (response.status !== 200 || !told.result) return { verdict: "wrong", told: whole };
  const { isError, structuredContent: facts, content } = told.result;
  if (!isError)
    return {
      verdict: "done",
      resource: resourceOf(facts.todo ?? facts.habit ?? {}),
      replayed: facts.replayed === true,
    };
  const code = facts?.code ?? codeIn(content?.[0]?.text ?? "");
  if (code === "overloaded") return unavailable(facts?.applied ?? appliedIn(content?.[0]?.text), whole);
  if (code === "not_found" || code === "conflict" || code === "invalid") return { verdict: "refused", code };
  return { verdict: "wrong", told: whole };
}

/** During an outage of the database, an agent's answer has only text. */
function codeIn(text: string): string {
  if (/may have been made|nothing was changed, so call again/.test(text)) return "overloaded";
  if (/already completed/.test(text)) return "conflict";
  return /not found/.test(text) ? "not_found" : "unknown";
}

const appliedIn = (text: string): string => (/may have been made/.test(text) ? "unknown" : "no");

function unavailable(applied: unknown, told: string): Answer {
  if (applied === "no" || applied === "unknown") return { verdict: applied };
  return { verdict: "wrong", told: `503 that does not say whether it was applied: ${told}` };
}

/** Agents get no false fields: a missing field of a todo or habit is false. */
function resourceOf(told: JsonBody): Resource {
  const { id, title, name, is_completed = false, is_completed_today = false } = told;
  return { id, title, name, is_completed, is_completed_today };
}
