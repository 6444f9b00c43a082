import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "@modelcontextprotocol/server";
import type { Refusal } from "../../../shared/errors.ts";
import { jsonResponse, statusOf } from "../../http/response.ts";
import { advise } from "./advice.ts";

/** The first code of the range that JSON-RPC leaves to servers. */
const serverError = -32_000;

/** Refuses a request that never became a tool call, by HTTP status and JSON-RPC error at once. */
export function rpcRefusal(refusal: Refusal, headers = new Headers(), id: unknown = null): Response {
  const { code, message, applied, retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  const error = {
    code: code === "malformed_body" ? PARSE_ERROR : serverError,
    message,
    data: { code, ...(applied && { applied }) },
  };
  return jsonResponse(JSON.stringify({ jsonrpc: "2.0", id, error }), statusOf(code), headers);
}

/** The refusal of a request whose result has no `isError`, unlike that of a tool. */
export function rpcError(refusal: Refusal): ProtocolError {
  const { code, applied, retryAfterSeconds: seconds } = refusal;
  const data = {
    code,
    ...(applied && { applied }),
    ...(seconds !== undefined && { retry_after_seconds: seconds }),
  };
  return new ProtocolError(serverError, advise(refusal), data);
}

export function invalidRequest(message: string): Response {
  const error = { code: INVALID_REQUEST, message };
  return jsonResponse(JSON.stringify({ jsonrpc: "2.0", id: null, error }), 400, new Headers());
}
