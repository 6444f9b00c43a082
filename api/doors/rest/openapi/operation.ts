import type { TSchema } from "typebox";
import type { Contract } from "../../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../../shared/contracts/kernel/contract.ts";
import { tags } from "../../../../shared/contracts/kernel/tags.ts";
import { groupCommand } from "../../../../shared/queue/group.ts";
import type { KnownNames } from "../../../http/input/unknown-names.ts";
import { isConditional, routeFields } from "../route.ts";
import { commonParametersOf } from "./common-parameters.ts";
import { errorsOf, statusOfError } from "./errors.ts";
import { headersOf, rateLimit } from "./headers.ts";
import { meaningOf } from "./meanings.ts";
import { capitalised, type Schemas } from "./schemas.ts";
import type {
  Answer,
  JsonContent,
  JsonSchema,
  Operation,
  Parameter,
  RequestBody,
  StreamContent,
} from "./shape.ts";

function neededToken({ name, scopes }: Contract): string {
  if (name === groupCommand)
    return "Needs any valid token, and for each operation the scopes that its route needs.";
  return scopes.length > 0 ? `Needs a token with ${scopes.join(" and ")}.` : "Needs any valid token.";
}

/** One REST route of a contract as an operation of the document. */
export function operation(contract: Contract, route: Route, schemas: Schemas): Operation {
  const { properties } = contract.input;
  const { inPath, inQuery, inBody } = routeFields(contract, route);
  const example = new Map<string, unknown>(Object.entries(route.example.input));
  const parameter = (name: string, location: "path" | "query", schema: TSchema = {}): Parameter => ({
    name,
    in: location,
    required: location === "path",
    description: meaningOf("query", name),
    schema: schemas.show(schema),
    ...(example.has(name) && { example: example.get(name) }),
  });
  const errors = errorsOf(contract, route).toSorted(
    (one, other) => statusOfError(one) - statusOfError(other),
  );
  return {
    operationId: route.operationId,
    tags: tagsOf(route),
    summary: contract.summary,
    description: neededToken(contract),
    security: [{ bearer: [] }, { oauth: contract.scopes }],
    parameters: [
      ...inPath.map((name) => parameter(name, "path", properties[name])),
      ...inQuery.names.map((name) => parameter(name, "query", properties[name])),
      ...commonParametersOf(contract, route),
    ],
    ...(inBody.names.length > 0 && { requestBody: requestBody(contract, route, inBody, schemas) }),
    responses: {
      ...(contract.kind === "command" && { 200: { $ref: "#/components/responses/Previewed" } }),
      [route.status]: success(contract, route, schemas),
      ...(contract.kind === "query" &&
        !route.streams && { 304: { $ref: "#/components/responses/NotModified" } }),
      ...Object.fromEntries(
        errors.map((error) => [statusOfError(error), { $ref: `#/components/responses/${error.name}` }]),
      ),
    },
  };
}

const json = (schema: JsonSchema, name: string, value: unknown): JsonContent => ({
  "application/json": { schema, examples: { [name]: { value } } },
});

function tagsOf({ path }: Route): string[] {
  const own = Object.entries(tags).filter(([first]) => path.split("/")[1] === first);
  return own.map(([, { name }]) => name);
}

/** OpenAPI's readOnly is not used, because validators would refuse these fields. */
const ignoredField = { description: "A read-only field of the resource, which may be sent and is ignored" };

function requestBody(
  { input }: Contract,
  route: Route,
  { names, ignored = [] }: KnownNames,
  schemas: Schemas,
): RequestBody {
  const isInBody = (name: string) => names.includes(name);
  const fields = Object.entries(input.properties).filter(([name]) => isInBody(name));
  const required = [...(input.required ?? []), ...(route.required ?? [])].filter(isInBody);
  const { operationId, example } = route;
  const title = `${capitalised(operationId)}Request`;
  const schema = schemas.name(title, {
    type: "object",
    properties: {
      ...schemas.properties(title, Object.fromEntries(fields)),
      ...Object.fromEntries(
        ignored.map((name) => [name, { ...schemas.name("Ignored", {}), ...ignoredField }]),
      ),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  const sent = Object.entries(example.input).filter(([name]) => isInBody(name));
  return {
    required: required.length > 0,
    content: json(schema, operationId, Object.fromEntries(sent)),
  };
}

const eventsInWords =
  "Each event `changes` has the answer of `GET /changes` as its data, and the cursor behind it as its id. A comment comes every 15 seconds. The stream ends with its token, and after an hour.";

function eventsOf({ operationId, example }: Route): StreamContent {
  const { next_cursor } = example.output as { next_cursor: string };
  const value = `event: changes\nid: ${next_cursor}\ndata: ${JSON.stringify(example.output)}\n\n`;
  return { "text/event-stream": { schema: { type: "string" }, examples: { [operationId]: { value } } } };
}

function success(contract: Contract, route: Route, schemas: Schemas): Answer {
  const { operationId, status, example } = route;
  const headers = headersOf(
    ...(status === 201 ? (["Location"] as const) : []),
    ...(status !== 204 && isConditional(contract, route) ? (["ETag"] as const) : []),
    ...(contract.kind === "command" ? (["Idempotent-Replayed"] as const) : []),
    ...rateLimit,
  );
  if (status === 204) return { description: "Done", headers };
  if (route.streams) return { description: eventsInWords, headers, content: eventsOf(route) };
  return {
    description: "Success",
    headers,
    content: json(schemas.show(contract.output), operationId, example.output),
  };
}
