import { pathOf } from "./request.ts";

/** Scripts of any site may call these. They are public or need a token, and a browser adds none by itself. */
const openPaths =
  /^\/(api\/v1|mcp|openapi\.json|\.well-known\/(oauth|openid)-[\w-]+|jwks|register|token|revoke|userinfo)(\/|$)/;

/** Lets scripts of any site read an answer (CORS). Without Allow-Credentials browsers send no cookies along. */
const readableByScripts = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/** Browsers ask before a script's request; the answer is the same for all requests, so it costs nothing. */
const preflightHeaders = (asked: string) => ({
  ...readableByScripts,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": asked,
  "access-control-max-age": "7200",
});

/** @returns the answer to a preflight; undefined for any other request */
function preflightAnswer({ method, headers, url }: Request): Response | undefined {
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  if (!openPaths.test(pathOf(url))) return undefined;
  const asked = headers.get("access-control-request-headers") ?? "";
  return new Response(null, { status: 204, headers: preflightHeaders(asked) });
}

/** Opens the answer to a script's request, if its address is open to scripts. */
function openToScripts({ url }: Pick<Request, "url">, response: Response): Response {
  if (!openPaths.test(pathOf(url))) return response;
  for (const [name, value] of Object.entries(readableByScripts)) response.headers.set(name, value);
  return response;
}

/** Answers a request with an origin: a preflight here, others by `answer`. */
export const answerScript = async (
  request: Request,
  answer: (request: Request) => Promise<Response> | Response,
): Promise<Response> => preflightAnswer(request) ?? openToScripts(request, await answer(request));
