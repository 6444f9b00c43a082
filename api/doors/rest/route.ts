import { Type } from "typebox";
import { type Contract, contracts } from "../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../shared/contracts/kernel/contract.ts";
import type { KnownNames } from "../../http/input.ts";

export const restPrefix = "/api/v1";

type RouteFields = Readonly<{ inPath: readonly string[]; inQuery: KnownNames; inBody: KnownNames }>;

/** A REST route of a contract, with everything that follows from them, computed once. */
export type RestRoute = RouteFields & Readonly<{ contract: Contract; route: Route; isConditional: boolean }>;

export type Target = RestRoute & Readonly<{ params: Readonly<Record<string, string>> }>;

export const restRoute = (contract: Contract, route: Route): RestRoute => ({
  contract,
  route,
  ...routeFields(contract, route),
  isConditional: isConditional(contract, route),
});

/** True if a route answers with a resource, which has an entity tag and preconditions. */
export const isConditional = ({ resource }: Contract, { method, status, streams }: Route): boolean =>
  (method === "GET" && !streams) || status === 201 || resource !== undefined;

export function routeFields(contract: Contract, route: Route): RouteFields {
  const { inPath, others } = namesIn(contract, route);
  const isInQuery = route.method === "GET" || route.method === "DELETE";
  const what = isWrite(route) ? `a field of a ${nounOf(contract)}` : "a field of this request";
  return {
    inPath,
    inQuery: { what: "a parameter of this request", names: isInQuery ? others : [] },
    inBody: {
      what,
      names: isInQuery ? [] : others,
      ignored: readOnlyFields(contract).filter((name) => !others.includes(name)),
    },
  };
}

function namesIn({ input, toolOnly = [] }: Contract, { path }: Route) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const others = Object.keys(input.properties).filter(
    (name) => !inPath.includes(name) && !toolOnly.includes(name),
  );
  return { inPath, others };
}

/** True if a route's body is a resource, not the request of an action. */
const isWrite = ({ method, status }: Route): boolean =>
  method === "PUT" || method === "PATCH" || status === 201;

const nounOf = ({ output }: Contract): string =>
  "title" in output && typeof output.title === "string"
    ? output.title.replace(/^New/, "").toLowerCase()
    : "resource";

/** Read-only fields: ignored in writes, so that clients can PUT what they got. */
function readOnlyFields({ output }: Contract): string[] {
  const writes = contracts.flatMap((contract) =>
    contract.output === output
      ? (contract.rest ?? []).filter(isWrite).map((route) => namesIn(contract, route).others)
      : [],
  );
  if (writes.length === 0 || !Type.IsObject(output)) return [];
  const written = writes.flat();
  return Object.keys(output.properties).filter((name) => !written.includes(name));
}
