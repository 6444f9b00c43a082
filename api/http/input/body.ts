import { type Refused, refuse } from "../../../shared/errors.ts";
import type { Fields } from "./validate.ts";

const maxBodyBytes = 64 * 1024;

export const tooLarge = refuse("body_too_large", "The request body must not be larger than 64 KiB.");
const notJson = refuse("malformed_body", "The request body must be a JSON object.");
const notUtf8 = refuse("malformed_body", "The request body must be UTF-8.");
const compressed = refuse("unsupported_media_type", "The request body must be sent without compression.");
const notJsonType = refuse("unsupported_media_type", "The request body must be sent as application/json.");

/** The JSON object of a request body; an absent body is an empty object. */
export async function readBody(request: Request): Promise<Readonly<{ fields: Fields }> | Refused> {
  const text = await readText(request);
  if (typeof text !== "string") return text;
  if (text === "") return { fields: {} };
  if (!isAnyJson(request)) return notJsonType;
  const value = parseJson(text);
  return isObject(value) ? { fields: value } : notJson;
}

/** REST takes JSON under any of its names, such as application/merge-patch+json. */
function isAnyJson(request: Request): boolean {
  const type = mediaType(request);
  return type === "application/json" || type.endsWith("+json");
}

/** MCP takes JSON under its one name (Streamable HTTP). */
export const isPlainJson = (request: Request): boolean => mediaType(request) === "application/json";

/** The media type without its parameters; empty when there is none. */
const mediaType = ({ headers }: Request): string =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

/** The body as text, refused when it is too large or not UTF-8. It has arrived before its request is served. */
export async function readText(request: Request): Promise<string | Refused> {
  const { headers } = request;
  if (Number(headers.get("content-length")) > maxBodyBytes) return tooLarge;
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") return compressed;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await request.bytes());
  } catch {
    return notUtf8;
  }
}

/** The deepest nesting of brackets. No schema needs more, and deep nesting has crashed parsers. */
const maxDepth = 32;

/** @returns undefined when the text is not JSON, or nested too deep */
export function parseJson(text: string): unknown {
  try {
    return mayBeDeep(text) && isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Most bodies have too few brackets to be deep, and counting them costs a tenth of the loop. */
const mayBeDeep = (text: string): boolean => (text.match(/[[{]/g)?.length ?? 0) > maxDepth;

/** A plain loop, because a regular expression took a tenth of the time that a request takes before it is queued. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (inString && sign === "\\") at += 1;
    else if (sign === '"') inString = !inString;
    else if (inString) continue;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Bytes of a request as they arrive. */
type Body = AsyncIterable<Uint8Array> | null;

/**
 * Reads a body up to a limit, so that nobody can fill the memory.
 * @returns the problem if it is longer or breaks off
 */
export async function readBounded(
  body: Body,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | "too-long" | "broken-off"> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > mostBytes) return "too-long";
      chunks.push(chunk);
    }
  } catch {
    return "broken-off";
  }
  return Buffer.concat(chunks);
}
