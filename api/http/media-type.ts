/** REST takes JSON under any of its names, such as application/merge-patch+json. */
export function isAnyJson(request: Request): boolean {
  const type = mediaType(request);
  return type === "application/json" || type.endsWith("+json");
}

/** MCP takes JSON under its one name (Streamable HTTP). */
export const isPlainJson = (request: Request): boolean => mediaType(request) === "application/json";

/** The media type without its parameters; empty when there is none. */
const mediaType = ({ headers }: Request): string =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
