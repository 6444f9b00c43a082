import type { TSchema } from "typebox";
import { type Contract, contracts } from "../../shared/contracts/catalogue.ts";
import type { Route } from "../../shared/contracts/contract.ts";
import { idempotencyKeyLimit } from "../../shared/contracts/fields.ts";
import { allScopes } from "../../shared/contracts/scopes.ts";
import { restPrefix } from "./door.ts";

/** The OpenAPI 3.1 document of the REST interface, made from the contracts. */
export function openApiDocument(baseUrl: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const contract of contracts) {
    for (const route of contract.rest ?? []) {
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(contract, route) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Kept",
      version: "1",
      description: "Habits and todos for people whose AI agents work for them.",
    },
    servers: [{ url: `${baseUrl}${restPrefix}` }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: `Scopes: ${allScopes.join(", ")}` },
      },
      schemas: { Error: errorSchema, ValidationError: validationErrorSchema },
    },
  };
}

function operation(contract: Contract, route: Route) {
  const { properties, required = [] } = contract.input;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const reads = route.method === "GET";
  const parameter = (name: string, place: "path" | "query", schema: TSchema | undefined) => ({
    name,
    in: place,
    required: place === "path",
    schema,
  });
  const body = {
    type: "object",
    properties: Object.fromEntries(others),
    required: [...required, ...(route.required ?? [])].filter((name) => !inPath.includes(name)),
  };
  return {
    operationId: route.method === "PATCH" ? `${contract.name}.partly` : contract.name,
    summary: contract.summary,
    description: `Needs ${contract.scopes.join(" and ")}.`,
    parameters: [
      ...inPath.map((name) => parameter(name, "path", properties[name])),
      ...(reads ? others.map(([name, schema]) => parameter(name, "query", schema)) : [idempotencyKey]),
    ],
    ...(!reads &&
      others.length > 0 && { requestBody: { content: json(body), required: body.required.length > 0 } }),
    responses: responses(contract, route),
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key with the same request answers the first outcome again; kept for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: idempotencyKeyLimit },
};

const json = (schema: object) => ({ "application/json": { schema } });

function responses({ output, kind }: Contract, { status, path }: Route) {
  const error = (description: string) => ({
    description,
    content: json({ $ref: "#/components/schemas/Error" }),
  });
  const success =
    status === 204 ? { description: "Done" } : { description: "Success", content: json(output) };
  return {
    [status]: success,
    401: error("Token missing, invalid or expired"),
    403: error("The token lacks the scope"),
    ...(path.includes("{") && { 404: error("Not found") }),
    ...(kind === "command" && { 409: error("Conflict") }),
    422: { description: "Validation error", content: json({ $ref: "#/components/schemas/ValidationError" }) },
    429: error("Rate limited"),
    503: error("Briefly unavailable; `applied` says whether a change may have happened"),
  };
}

const errorSchema = {
  type: "object",
  required: ["message", "code"],
  properties: {
    message: { type: "string" },
    code: { type: "string" },
    applied: { enum: ["no", "unknown"] },
  },
};

const validationErrorSchema = {
  type: "object",
  required: ["message", "errors"],
  properties: {
    message: { type: "string" },
    errors: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
  },
};
