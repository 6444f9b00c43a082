import { type TSchema, Type } from "typebox";
import { type Contract, contracts } from "../../../../shared/contracts/catalogue.ts";
import { ResourceChange } from "../../../../shared/contracts/change/contracts.ts";
import { type Route, tags } from "../../../../shared/contracts/kernel/contract.ts";
import {
  Flag,
  IdempotencyKey,
  OneOf,
  Timestamp,
  titled,
} from "../../../../shared/contracts/kernel/fields.ts";
import { examplePreview, PreviewAnswer } from "../../../../shared/contracts/kernel/preview.ts";
import { scopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { exampleTodo } from "../../../../shared/contracts/todo/examples.ts";
import { resourceKinds } from "../../../../shared/domain/vocabulary.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { groupCommand } from "../../../../shared/queue/group.ts";
import type { KnownNames } from "../../../http/input.ts";
import { isConditional, restPrefix, routeFields } from "../route.ts";
import { errorResponse, errorsOf, headers, headersOf, rateLimit, statusOfError } from "./errors.ts";
import {
  type Answer,
  capitalised,
  createSchemas,
  type JsonContent,
  type JsonSchema,
  meaningOf,
  type Operation,
  type Parameter,
  type RequestBody,
  type Schemas,
  type StreamContent,
} from "./schemas.ts";

function neededToken({ name, scopes }: Contract): string {
  if (name === groupCommand)
    return "Needs any valid token, and for each operation the scopes that its route needs.";
  return scopes.length > 0 ? `Needs a token with ${scopes.join(" and ")}.` : "Needs any valid token.";
}

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
  const value = `event: changes\nid: ${Object(example.output).next_cursor}\ndata: ${JSON.stringify(example.output)}\n\n`;
  return { "text/event-stream": { schema: { type: "string" }, examples: { [operationId]: { value } } } };
}

function success(contract: Contract, route: Route, schemas: Schemas): Answer {
  const { operationId, status = 200, example } = route;
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

const types = [...resourceKinds.flatMap((kind) => [`${kind}.changed`, `${kind}.deleted`]), "reminder.due"];

const WebhookEvent = titled(
  "WebhookEvent",
  Type.Object({ type: titled("WebhookEventType", OneOf(types)), timestamp: Timestamp, data: ResourceChange }),
);

const restarted = "changes.restarted";
const NoData = titled("NoData", Type.Object({}));
const RestartEvent = titled(
  "WebhookRestart",
  Type.Object({ type: Type.Literal(restarted), timestamp: Timestamp, data: NoData }),
);

const header = (name: string, description: string, required = false): Parameter => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

const webhookHeaders = [
  header("webhook-id", "The id of the delivery; a repeat has the same one", true),
  header("webhook-timestamp", "The time of the attempt, in epoch seconds", true),
  header("webhook-signature", "Signatures (Standard Webhooks, v1) of id, timestamp and body", true),
];

const timestamp = "2026-11-20T08:30:00.000Z";

/** The posts to a person's webhooks, as the document's `webhooks` (OpenAPI 3.1). */
function webhookOperations(schemas: Schemas) {
  const event = schemas.show(WebhookEvent);
  const restart = schemas.show(RestartEvent);
  return Object.fromEntries(
    [...types, restarted].map((type) => [
      type,
      { post: webhookOperation(type, type === restarted ? restart : event) },
    ]),
  );
}

const summaries: Readonly<Record<string, string>> = {
  "reminder.due": "A reminder is due",
  [restarted]: "What the receiver has is outdated: everything is posted anew",
};

function webhookOperation(type: string, schema: JsonSchema) {
  const deleted = type.endsWith(".deleted");
  const value = {
    type,
    timestamp,
    data: { type: "todo", id: exampleTodo.id, deleted, resource: deleted ? null : exampleTodo },
  };
  const examples =
    type.startsWith("todo") || type === "reminder.due" ? { examples: { [type]: { value } } } : {};
  return {
    operationId: `on ${type}`.replaceAll(/[ .](\w)/g, (_, first: string) => first.toUpperCase()),
    summary: summaries[type] ?? `A ${type.replace(".", " was ")}`,
    description:
      "Any 2xx means that it has arrived. Anything else, or none within 10 s, is tried again; 410 ends the webhook.",
    // The signature stands for a token.
    security: [],
    parameters: webhookHeaders,
    requestBody: { required: true, content: { "application/json": { schema, ...examples } } },
    responses: { "2XX": { description: "It has arrived" } },
  };
}

/** The parameters of requests beyond those of contracts, as components of the document. */
const commonParameters = (schemas: Schemas) =>
  ({
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description: "The same key with the same request answers the first outcome again; kept for 24 hours.",
      schema: schemas.show(IdempotencyKey),
      example: "2b0f9a52-5a7c-4a3e-9d3c-8f1f7a0c6c11",
    },
    IfMatch: header(
      "If-Match",
      "Entity tags of the states that may be changed, or `*`; in any other state nothing is changed.",
    ),
    IfNoneMatch: header(
      "If-None-Match",
      "Entity tags of the states that the caller has; if it is one of them the answer is 304.",
    ),
    LastEventId: header(
      "Last-Event-ID",
      "The id of the last event that the caller has, instead of `cursor`; browsers send it.",
    ),
    Preview: {
      name: "preview",
      in: "query",
      required: false,
      description:
        "With `true` nothing is changed, no key is used and nothing is logged. The answer is 200 with a Preview, or the refusal that the request would get.",
      schema: schemas.show(Flag),
    },
  }) satisfies Record<string, Parameter>;

type CommonParameter = keyof ReturnType<typeof commonParameters>;

/** References to the common parameters of a contract's requests. */
function commonParametersOf({ kind, resource }: Contract, { streams }: Route) {
  const ofRead: CommonParameter = streams ? "LastEventId" : "IfNoneMatch";
  const ofChange: CommonParameter[] = ["Preview", "IdempotencyKey"];
  if (resource) ofChange.push("IfMatch");
  const names = kind === "command" ? ofChange : [ofRead];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The answer to a read whose caller has the present state, as a component of the document. */
const notModified = {
  description: "The resource is still in a state that If-None-Match names",
  headers: headersOf("ETag", ...rateLimit),
};
