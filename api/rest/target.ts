import type { Contract } from "../../shared/contracts/catalogue.ts";
import type { Route } from "../../shared/contracts/contract.ts";
import { type KnownNames, unknownNames } from "../../shared/contracts/unknown-names.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { notFound, type Refused } from "../../shared/errors.ts";
import { queryFields, repeatedParameters } from "../http/query-fields.ts";
import { nothingHere } from "../http/response.ts";
import type { Content } from "../perform.ts";
import { routeFields } from "./route-fields.ts";

/** A route of a contract, and what its path's parameters are in a request. */
export type Target = Readonly<{ contract: Contract; route: Route; params: Readonly<Record<string, string>> }>;

/** The ids in the path. What is none is not found, as an unknown one would be. */
export function pathIds({ contract, params }: Target): Readonly<{ ids: Fields }> | Refused {
  const ids: Fields = {};
  for (const [name, text] of Object.entries(params)) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) return contract.resource ? notFound(contract.resource) : nothingHere;
    ids[name] = id;
  }
  return { ids };
}

type Sent = Readonly<{ ids: Fields; query: URLSearchParams; body: Fields }>;

/** The fields in path, query and body, and a refusal of each name that the route does not have there. */
export function targetContent({ contract, route }: Target, { ids, query, body }: Sent): Content {
  const { inQuery, inBody } = routeFields(contract, route);
  const found = queryFields(contract.input, query);
  const sent = route.method === "POST" ? withoutNulls(body) : body;
  const unknown = {
    ...repeatedParameters(contract.input, query),
    ...unknownNames([...query.keys()], inQuery),
    ...unknownNames(Object.keys(body), inBody),
  };
  return { fields: { ...found, ...withoutIgnored(sent, inBody), ...ids }, unknown };
}

/** What is ignored here can be a field that the contract takes from a tool. */
const withoutIgnored = (fields: Fields, { ignored = [] }: KnownNames): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !ignored.includes(name)));

/** In POST, null is the same as leaving the field out. */
function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
