import type { Refusal } from "../../../shared/errors.ts";
import { jsonResponse, statusOf } from "../../http/response.ts";

/** The first code of the range that JSON-RPC leaves to servers. */
export const serverError = -32_000;
/** Codes of JSON-RPC itself, written here because the SDK that exports them is loaded with the first message. */
const [parseError, badRequest] = [-32_700, -32_600];

/** Refuses a request that never became a tool call, by HTTP status and JSON-RPC error at once. */
export function rpcRefusal(refusal: Refusal, headers = new Headers(), id: unknown = null): Response {
  const { code, message, applied, retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  const error = {
    code: code === "malformed_body" ? parseError : serverError,
    message,
    data: { code, ...(applied && { applied }) },
  };
  return jsonResponse(JSON.stringify({ jsonrpc: "2.0", id, error }), statusOf(code), headers);
}

export function invalidRequest(message: string): Response {
  const error = { code: badRequest, message };
  return jsonResponse(JSON.stringify({ jsonrpc: "2.0", id: null, error }), 400, new Headers());
}
