import { Type } from "typebox";
import { type Contract, contracts } from "../../shared/contracts/catalogue.ts";
import type { Route } from "../../shared/contracts/contract.ts";
import type { KnownNames } from "../../shared/contracts/unknown-names.ts";

/** Where the fields of a route's input stand in a request, and how a refusal calls them. */
type RouteFields = Readonly<{ inPath: readonly string[]; inQuery: KnownNames; inBody: KnownNames }>;

const known = new WeakMap<Route, RouteFields>();

/** A route's fields, derived at its first use and kept. */
export function routeFields(contract: Contract, route: Route): RouteFields {
  const derived = known.get(route) ?? fieldsOf(contract, route);
  known.set(route, derived);
  return derived;
}

function fieldsOf(contract: Contract, route: Route): RouteFields {
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

/** Whether a route's body is a resource as it is to be, and not the request of an action. */
const isWrite = ({ method, status }: Route): boolean =>
  method === "PUT" || method === "PATCH" || status === 201;

const nounOf = ({ output }: Contract): string =>
  "title" in output && typeof output.title === "string" ? output.title.toLowerCase() : "resource";

/** What the resource of a contract shows and no route that writes it takes: GET, change, PUT sends it back. */
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
