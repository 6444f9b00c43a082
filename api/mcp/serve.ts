import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/**
 * Answers one JSON-RPC message with one JSON body, in whichever revision of the protocol it speaks. Only
 * subscriptions/listen is answered by a stream, which ends at once: the list of tools never changes.
 */
export async function serveMessage(
  request: Request,
  message: object,
  createServer: () => Server,
): Promise<Response> {
  if (await isLegacyRequest(request, message))
    return serveHandshakeRevision(request, message, createServer());
  return createMcpHandler(createServer, { legacy: "reject" }).fetch(request, { parsedBody: message });
}

/** The SDK's own way for the older revisions answers in SSE and refuses clients that accept JSON alone. */
async function serveHandshakeRevision(request: Request, message: object, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  const forwarded = new Request(request.url, { method: "POST", headers });
  const response = await transport.handleRequest(forwarded, { parsedBody: message });
  await server.close();
  return response;
}
