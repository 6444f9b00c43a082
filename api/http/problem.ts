import { STATUS_CODES } from "node:http";
import { pathOf } from "./request.ts";
import { jsonResponse } from "./response.ts";

const problemJson = "application/problem+json";

/** The members of a refusal as problem details. */
export const problemBody = (status: number, { message, ...members }: Readonly<{ message?: unknown }>) => ({
  type: "about:blank",
  title: STATUS_CODES[status],
  status,
  detail: message,
  ...members,
});

/** Gives a refusal of REST the form of RFC 9457, if the client accepts that. Pages and MCP have forms of their own. */
export async function inFormAccepted({ url, headers }: Request, response: Response): Promise<Response> {
  if (!headers.get("accept")?.includes(problemJson) || !pathOf(url).startsWith("/api/")) return response;
  const { status } = response;
  const refusal = (await response.json()) as Parameters<typeof problemBody>[1];
  const answer = jsonResponse(JSON.stringify(problemBody(status, refusal)), status, response.headers);
  answer.headers.set("content-type", problemJson);
  return answer;
}
