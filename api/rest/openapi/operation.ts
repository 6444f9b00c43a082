import type { TSchema } from "typebox";
import type { Contract } from "../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../shared/contracts/contract.ts";
import { IdempotencyKey } from "../../../shared/contracts/fields.ts";
import { tags } from "../../../shared/contracts/tags.ts";
import type { KnownNames } from "../../../shared/contracts/unknown-names.ts";
import { routeFields } from "../route-fields.ts";
import { errorsOf, statusOfError } from "./errors.ts";
import { headersOf, rateLimit } from "./headers.ts";
import { capitalised, type JsonSchema, type Schemas } from "./schemas.ts";

/** One REST route of a contract as an operation of the document. */
export function operation(contract: Contract, route: Route, schemas: Schemas): JsonSchema {
  const { properties } = contract.input;
  const { inPath, inQuery, inBody } = routeFields(contract, route);
  const example = new Map<string, unknown>(Object.entries(route.example.input));
  const parameter = (name: string, place: "path" | "query", schema: TSchema = {}) => ({
    name,
    in: place,
    required: place === "path",
    schema: schemas.show(schema),
    ...(example.has(name) && { example: example.get(name) }),
  });
  const errors = errorsOf(contract, route).toSorted(
    (one, other) => statusOfError(one) - statusOfError(other),
  );
  return {
    operationId: route.operationId,
    tags: [tagOf(route)],
    summary: contract.summary,
    description: `Needs ${contract.scopes.length > 0 ? `a token with ${contract.scopes.join(" and ")}` : "any valid token"}.`,
    security: [{ bearer: [] }, { oauth: contract.scopes }],
    parameters: [
      ...inPath.map((name) => parameter(name, "path", properties[name])),
      ...inQuery.names.map((name) => parameter(name, "query", properties[name])),
      ...(contract.kind === "command" ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(inBody.names.length > 0 && { requestBody: requestBody(contract, route, inBody, schemas) }),
    responses: {
      [route.status]: success(contract, route, schemas),
      ...Object.fromEntries(
        errors.map((error) => [statusOfError(error), { $ref: `#/components/responses/${error.name}` }]),
      ),
    },
  };
}

/** The header that every change takes, as a component of the document. */
export const idempotencyKeyParameter = (schemas: Schemas) => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key with the same request answers the first outcome again; kept for 24 hours.",
  schema: schemas.show(IdempotencyKey),
  example: "2b0f9a52-5a7c-4a3e-9d3c-8f1f7a0c6c11",
});

const json = (schema: JsonSchema, name: string, value: unknown) => ({
  "application/json": { schema, examples: { [name]: { value } } },
});

function tagOf({ path }: Route): string | undefined {
  const tag = Object.entries(tags).find(([first]) => path.split("/")[1] === first);
  return tag?.[1].name;
}

/** Not called read-only in the words of OpenAPI, because validators would refuse it then. */
const ignoredField = { description: "A read-only field of the resource, which may be sent and is ignored" };

function requestBody(
  { input }: Contract,
  route: Route,
  { names, ignored = [] }: KnownNames,
  schemas: Schemas,
): JsonSchema {
  const isInBody = (name: string) => names.includes(name);
  const fields = Object.entries(input.properties).filter(([name]) => isInBody(name));
  const required = [...(input.required ?? []), ...(route.required ?? [])].filter(isInBody);
  const { operationId, example } = route;
  const schema = schemas.name(`${capitalised(operationId)}Request`, {
    type: "object",
    properties: Object.fromEntries([
      ...fields.map(([name, field]) => [name, schemas.show(field)]),
      ...ignored.map((name) => [name, schemas.name("Ignored", ignoredField)]),
    ]),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  const sent = Object.entries(example.input).filter(([name]) => isInBody(name));
  return {
    required: required.length > 0,
    content: json(schema, operationId, Object.fromEntries(sent)),
  };
}

function success(
  { kind, output }: Contract,
  { operationId, status, example }: Route,
  schemas: Schemas,
): JsonSchema {
  const headers = headersOf(
    ...(status === 201 ? (["Location"] as const) : []),
    ...(kind === "command" ? (["Idempotent-Replayed"] as const) : []),
    ...rateLimit,
  );
  if (status === 204) return { description: "Done", headers };
  return {
    description: "Success",
    headers,
    content: json(schemas.show(output), operationId, example.output),
  };
}
