import { SQL } from "bun";
import type { Answer, JsonBody, Stack } from "../harness.ts";
import { checkFacts } from "./facts-check.ts";
import { patiently } from "./patiently.ts";
import type { Issuer } from "./servers/issuer.ts";

/** The address to call, and the issuer of its tokens. */
export type Door = Readonly<{ config: { baseUrl: string }; issuer: Issuer }>;

type Options = Readonly<{ token?: string | undefined; headers?: Record<string, string> }>;

/** One raw POST to the MCP endpoint with any body and headers. */
export async function post(
  { config }: Pick<Door, "config">,
  body: unknown,
  { token, headers }: Options = {},
): Promise<Answer> {
  const response = await fetch(`${config.baseUrl}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

export const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

export type ToolAnswer = Readonly<{ text: string; facts: JsonBody; isError: boolean; answer: Answer }>;

/** True for an answer of a busy service that has surely done nothing. */
function isBusy({ body }: Answer): boolean {
  const { result, error } = body ?? {};
  const { code, applied } = { ...error?.data, ...result?._meta, ...result?.structuredContent };
  return code === "overloaded" && applied === "no";
}

/** One call of a tool by an agent that asks again while the service is busy. */
export const callTool = (
  door: Pick<Door, "config">,
  token: string,
  name: string,
  args: unknown = {},
): Promise<Answer> =>
  patiently(() => post(door, rpc("tools/call", { name, arguments: args }), { token }), isBusy);

/** A caller of tools with one token, in the revision 2025-11-25. */
export async function agent(stack: Door, claims: Record<string, unknown> = {}) {
  const token = await stack.issuer.token(claims);
  return {
    token,
    async call(name: string, args: unknown = {}): Promise<ToolAnswer> {
      const answer = await callTool(stack, token, name, args);
      const { content, structuredContent, isError = false } = answer.body.result ?? {};
      if (answer.body.result) checkFacts(name, structuredContent, isError);
      return { text: content?.[0]?.text ?? "", facts: structuredContent, isError, answer };
    },
  };
}

/** A new person with an agent. `rest` is theirs, too, and `logged` has the rows of their calls. */
export async function newcomer(stack: Stack, claims: Record<string, unknown> = {}) {
  const sub = String(claims.sub ?? crypto.randomUUID());
  const { token, call } = await agent(stack, { ...claims, sub });
  return {
    sub,
    token,
    call,
    /** One REST call, perhaps with an idempotency key. */
    rest: (method: string, path: string, body?: unknown, key?: string): Promise<Answer> =>
      stack.rest(method, path, {
        token,
        ...(body !== undefined && { body }),
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      }),
    /** The names of the arguments for which a call is refused. */
    wrong: async (tool: string, args: object): Promise<string[]> =>
      Object.keys((await call(tool, args)).facts.errors ?? {}),
    logged: () => loggedCalls(stack.config.databaseUrl, sub),
  };
}

export type Tool = {
  name: string;
  title: string;
  description: string;
  annotations: Record<"readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint", boolean>;
  inputSchema: { properties: object; additionalProperties: boolean };
  outputSchema: { properties: object; required: string[] };
};

export type ActionRow = {
  token_id: string;
  client_name: string | null;
  tool: string;
  arguments: string;
  outcome: string;
  replayed: boolean;
  calls: number;
  called_at: Date;
  duration_ms: number;
};

/** A user's rows of the action log, in the order of their calls. */
export async function loggedCalls(databaseUrl: string, userId: string): Promise<ActionRow[]> {
  await using sql = new SQL(databaseUrl, { max: 1 });
  return [...(await sql`select * from action_log where user_id = ${userId} order by request_id`)];
}
