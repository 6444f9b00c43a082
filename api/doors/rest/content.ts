import { Type } from "typebox";
import { Flag, idempotencyKeyLimit } from "../../../shared/contracts/kernel/fields.ts";
import type { Preconditions } from "../../../shared/domain/preconditions.ts";
import { invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import {
  type Fields,
  queryFields,
  readBody,
  repeatedParameters,
  unknownNames,
  validate,
} from "../../http/input.ts";
import { nothingHere } from "../../http/response.ts";
import type { Content } from "../../perform.ts";
import type { Target } from "./route.ts";

/** Reads path, query and body, and for a change its headers (key and preconditions). */
export async function readContent(target: Target, request: Request): Promise<Content | Refused> {
  const ids = pathIds(target);
  if (isRefused(ids)) return ids;
  if (target.route.method === "GET" && !request.url.includes("?")) return { fields: ids.ids };
  const query = request.url.includes("?") ? new URL(request.url).searchParams : undefined;
  const body = target.route.method === "GET" ? undefined : await readBody(request);
  if (body && isRefused(body)) return body;
  const sent = { ...ids, query, body: body?.fields };
  if (target.contract.kind === "query") return targetContent(target, sent);
  const how = query && readPreview(query);
  if (how && isRefused(how)) return how;
  const content = targetContent(query ? previewable(target) : target, sent);
  const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
  if (idempotencyKey === "" || (idempotencyKey?.length ?? 0) > idempotencyKeyLimit) return badKey;
  const preconditions = target.isConditional ? preconditionsOf(request) : undefined;
  return { ...content, ...how, idempotencyKey, preconditions };
}

const badKey = invalid({
  "Idempotency-Key": [`The Idempotency-Key header must be 1 to ${idempotencyKeyLimit} characters.`],
});

/** @returns undefined for a request without preconditions */
export function preconditionsOf({ headers }: Request): Preconditions | undefined {
  const ifMatch = headers.get("if-match") ?? undefined;
  const ifNoneMatch = headers.get("if-none-match") ?? undefined;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/** The ids in the path. Any other text instead of an id is 404, like an unknown id. */
export function pathIds({ contract, params }: Target): Readonly<{ ids: Fields }> | Refused {
  const ids: Fields = {};
  for (const [name, text] of Object.entries(params)) {
    const isText = Type.IsString(contract.input.properties[name]);
    const id = isText ? text : Number(/^[1-9]\d{0,15}$/.test(text) ? text : "NaN");
    const isId = isText ? uuid.test(text) : Number.isSafeInteger(id);
    if (!isId) return contract.resource ? notFound(contract.resource) : nothingHere;
    ids[name] = id;
  }
  return { ids };
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Sent = Readonly<{ ids: Fields; query: URLSearchParams | undefined; body: Fields | undefined }>;

/** The fields in path, query and body, and a refusal of each name that the route does not have. */
export function targetContent(target: Target, { ids, query, body }: Sent): Content {
  const inQuery = query && queryContent(target, query);
  const inBody = body && bodyContent(target, body);
  const fields = { ...inQuery?.fields, ...inBody?.fields, ...ids };
  return { fields, unknown: { ...inQuery?.unknown, ...inBody?.unknown } };
}

const queryContent = ({ contract: { input }, inQuery }: Target, query: URLSearchParams): Content => ({
  fields: queryFields(input, query),
  unknown: { ...repeatedParameters(input, query), ...unknownNames([...query.keys()], inQuery) },
});

/** In POST, null counts as absent. An ignored field may be an argument that only tools have. */
function bodyContent({ route, inBody }: Target, body: Fields): Content {
  const { names, ignored = [] } = inBody;
  const fields: Fields = {};
  const unknown: string[] = [];
  for (const name in body) {
    if (ignored.includes(name)) continue;
    if (!names.includes(name)) unknown.push(name);
    if (body[name] !== null || route.method !== "POST") fields[name] = body[name];
  }
  return unknown.length > 0 ? { fields, unknown: unknownNames(unknown, inBody) } : { fields };
}

/** Every change takes this parameter, whatever its contract. */
const parameter = Type.Object({ preview: Type.Optional(Flag) });

function readPreview(query: URLSearchParams): Readonly<{ preview?: boolean }> | Refused {
  if (!query.has("preview")) return {};
  const unknown = repeatedParameters(parameter, query);
  const read = validate({ input: parameter }, queryFields(parameter, query), { unknown });
  return isRefused(read) ? read : read.input;
}

/** A request of its own can be previewed, an operation of a group only with its group. */
const previewable = (target: Target): Target => ({
  ...target,
  inQuery: { ...target.inQuery, names: [...target.inQuery.names, "preview"] },
});
