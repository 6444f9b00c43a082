import { idempotencyKeyLimit } from "../../../shared/contracts/kernel/fields.ts";
import type { Preconditions } from "../../../shared/domain/preconditions.ts";
import { invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { readBody } from "../../http/input/body.ts";
import { queryFields, repeatedParameters } from "../../http/input/query-fields.ts";
import { type KnownNames, unknownNames } from "../../http/input/unknown-names.ts";
import type { Fields } from "../../http/input/validate.ts";
import { nothingHere } from "../../http/response.ts";
import type { Content } from "../../perform.ts";
import type { Target } from "./route.ts";

/** Reads path, query, body and, of a change, the headers that say how it is to be made. */
export async function readContent(target: Target, request: Request): Promise<Content | Refused> {
  const ids = pathIds(target);
  if (isRefused(ids)) return ids;
  const query = request.url.includes("?") ? new URL(request.url).searchParams : undefined;
  const body = target.route.method === "GET" ? undefined : await readBody(request);
  if (body && isRefused(body)) return body;
  const content = targetContent(target, { ...ids, query, body: body?.fields });
  if (target.contract.kind === "query") return content;
  const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
  if (idempotencyKey === "" || (idempotencyKey?.length ?? 0) > idempotencyKeyLimit) return badKey;
  return {
    ...content,
    idempotencyKey,
    preconditions: target.isConditional ? preconditionsOf(request) : undefined,
  };
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

/** The ids in the path. Another text in the place of an id is not found, as an unknown id would be. */
export function pathIds({ contract, params }: Target): Readonly<{ ids: Fields }> | Refused {
  const ids: Fields = {};
  for (const [name, text] of Object.entries(params)) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) return contract.resource ? notFound(contract.resource) : nothingHere;
    ids[name] = id;
  }
  return { ids };
}

type Sent = Readonly<{ ids: Fields; query: URLSearchParams | undefined; body: Fields | undefined }>;

/** The fields in path, query and body, and a refusal of each name that the route does not have there. */
export function targetContent(
  { contract: { input }, route, inQuery, inBody }: Target,
  { ids, query, body = {} }: Sent,
): Content {
  const fields = {
    ...(query && queryFields(input, query)),
    ...bodyFields(body, route.method, inBody),
    ...ids,
  };
  const unknown = {
    ...(query && { ...repeatedParameters(input, query), ...unknownNames([...query.keys()], inQuery) }),
    ...unknownNames(Object.keys(body), inBody),
  };
  return { fields, unknown };
}

/** In POST, null is the same as leaving the field out. An ignored field can be one that the contract takes from a tool. */
function bodyFields(body: Fields, method: string, { ignored = [] }: KnownNames): Fields {
  const meant = ([name, value]: [string, unknown]) =>
    !ignored.includes(name) && !(method === "POST" && value === null);
  return Object.fromEntries(Object.entries(body).filter(meant));
}
