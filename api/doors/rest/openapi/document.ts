import type { TSchema } from "typebox";
import { type Contract, contracts } from "../../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../../shared/contracts/kernel/contract.ts";
import { examplePreview, PreviewAnswer } from "../../../../shared/contracts/kernel/preview.ts";
import { scopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { tags } from "../../../../shared/contracts/kernel/tags.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { groupCommand } from "../../../../shared/queue/group.ts";
import type { KnownNames } from "../../../http/input/unknown-names.ts";
import { isConditional, restPrefix, routeFields } from "../route.ts";
import { commonParameters, commonParametersOf, notModified } from "./common-parameters.ts";
import { errorResponse, errorsOf, statusOfError } from "./errors.ts";
import { headers, headersOf, rateLimit } from "./headers.ts";
import { meaningOf } from "./meanings.ts";
import { capitalised, createSchemas, type Schemas } from "./schemas.ts";
import type {
  Answer,
  JsonContent,
  JsonSchema,
  Operation,
  Parameter,
  RequestBody,
  StreamContent,
} from "./shape.ts";
import { webhookOperations } from "./webhooks.ts";

function neededToken({ name, scopes }: Contract): string {
  if (name === groupCommand)
    return "Needs any valid token, and for each operation the scopes that its route needs.";
  return scopes.length > 0 ? `Needs a token with ${scopes.join(" and ")}.` : "Needs any valid token.";
}

/** One REST route of a contract as an operation of the document. */
function operation(contract: Contract, route: Route, schemas: Schemas): Operation {
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

const methods: readonly Route["method"][] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every route, in reading order. */
const routes = contracts
  .flatMap((contract) => (contract.rest ?? []).map((route) => ({ contract, route })))
  .toSorted(({ route: one }, { route: other }) => {
    const byTag = tagOrder(one) - tagOrder(other);
    const byMethod = methods.indexOf(one.method) - methods.indexOf(other.method);
    return byTag || one.path.localeCompare(other.path) || byMethod;
  });

function tagOrder({ path }: Route): number {
  return Object.keys(tags).indexOf(path.split("/")[1] ?? "");
}

type Provider = Pick<Config, "authUrl" | "builtInIdentity">;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/**
 * The OpenAPI 3.1 document of the REST interface, made from the contracts.
 * @param baseUrl empty for a document that names no server, so that it means the one it came from
 */
export function openApiDocument(baseUrl: string, provider: Provider) {
  const schemas = createSchemas();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { contract, route } of routes) {
    const shown = operation(contract, route, schemas);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: shown };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Kept",
      version: "1",
      description: "Habits and todos for people whose AI agents work for them.",
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The Kept authors" },
    },
    servers: [{ url: `${baseUrl}${restPrefix}` }],
    tags: Object.values(tags),
    paths,
    webhooks: webhookOperations(schemas),
    components: {
      securitySchemes: { bearer, oauth: oauth(provider) },
      parameters: commonParameters(schemas),
      headers,
      responses: { NotModified: notModified, Previewed: previewed(schemas), ...errorResponses(schemas) },
      schemas: schemas.named(),
    },
  };
}

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "A personal access token, or an access token that an OAuth client was given",
};

/** The sign-in of OAuth clients. Another provider than the built-in one publishes its own addresses. */
const oauth = ({ authUrl, builtInIdentity }: Provider) =>
  builtInIdentity
    ? {
        type: "oauth2",
        flows: {
          authorizationCode: {
            authorizationUrl: `${authUrl}/authorize`,
            tokenUrl: `${authUrl}/token`,
            scopes,
          },
        },
      }
    : { type: "openIdConnect", openIdConnectUrl: `${authUrl}/.well-known/openid-configuration` };

/** The answer to a change with `preview=true`. */
const previewed = (schemas: Schemas): Answer => ({
  description: "With `preview=true`: the answer that the request would get, and what it would change",
  headers: headersOf(...rateLimit),
  content: {
    "application/json": {
      schema: schemas.show(PreviewAnswer),
      examples: { deletion: { value: examplePreview } },
    },
  },
});

function errorResponses(schemas: Schemas) {
  const errors = routes.flatMap(({ contract, route }) => errorsOf(contract, route));
  return Object.fromEntries(errors.map((error) => [error.name, errorResponse(error, schemas)]));
}
