import { contracts } from "../../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../../shared/contracts/kernel/contract.ts";
import { examplePreview, PreviewAnswer } from "../../../../shared/contracts/kernel/preview.ts";
import { scopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { tags } from "../../../../shared/contracts/kernel/tags.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { restPrefix } from "../route.ts";
import { commonParameters, notModified } from "./common-parameters.ts";
import { errorResponse, errorsOf } from "./errors.ts";
import { headers, headersOf, rateLimit } from "./headers.ts";
import { operation } from "./operation.ts";
import { createSchemas, type Schemas } from "./schemas.ts";
import type { Answer, Operation } from "./shape.ts";
import { webhookOperations } from "./webhooks.ts";

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
