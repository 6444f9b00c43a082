import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { temporaryFolder } from "../../support/folder.ts";
import { openApiText } from "./write-openapi.ts";

/** The types of a TypeScript client, made by openapi-typescript from the OpenAPI document. */
export const clientTypes = join(import.meta.dir, "../../../docs/openapi.d.ts");

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** A field that a body may have without effect. Types still allow a whole resource as a body. */
const isIgnored = (schema: unknown): boolean =>
  isObject(schema) && schema.$ref === "#/components/schemas/Ignored";

const isPreview = (answer: unknown): boolean =>
  isObject(answer) && answer.$ref === "#/components/responses/Previewed";

/** Headers are the same for all operations, and every client takes them beside the typed request. */
const isHeader = (parameter: unknown): boolean =>
  isObject(parameter) && (parameter.in === "header" || headerReference.test(String(parameter.$ref)));
const headerReference = /^#\/components\/parameters\/(IdempotencyKey|LastEventId|If\w+)$/;

/**
 * Client types need neither headers nor examples, and the document names the scopes of an operation. A request's fields
 * have their meanings in the resource.
 */
function withoutProse(value: unknown, name = "", isRequest = false): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isHeader(item)).map((item) => withoutProse(item));
  if (!isObject(value)) return value;
  const unneeded =
    name === "properties" ? [] : ["headers", "example", "examples", "application/problem+json"];
  if ("operationId" in value || "in" in value || (isRequest && name !== "properties"))
    unneeded.push("description");
  const entries = Object.entries(value).filter(([key, item]) => !unneeded.includes(key) && !isIgnored(item));
  return Object.fromEntries(
    entries.map(([key, item]) => [key, withoutProse(item, key, isRequest || key.endsWith("Request"))]),
  );
}

/**
 * Every refusal but 422 has the same shape, so one `default` stands for them all. Only a token with rules gets 202, and
 * only a preview has its answer; both would make each answer of a change a union.
 */
function withDefaultRefusal(operation: Json): Json {
  const { responses } = operation;
  if (!isObject(responses)) return operation;
  const kept = Object.entries(responses).filter(
    ([status, answer]) => /^(20[014]|3..|422)$/.test(status) && !isPreview(answer),
  );
  return {
    ...operation,
    responses: { ...Object.fromEntries(kept), default: { $ref: "#/components/responses/Refused" } },
  };
}

function forClients(document: Json): Json {
  const { paths, components } = withoutProse(document) as { paths: Record<string, Json>; components: Json };
  const operations = (path: Json) =>
    Object.entries(path).map(([method, operation]) => [
      method,
      isObject(operation) && "operationId" in operation ? withDefaultRefusal(operation) : operation,
    ]);
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  const { Invalid, NotModified } = components.responses as Json;
  // Every change has this parameter, so its description would stand there twenty times.
  const { description: _, ...Preview } = (components.parameters as { Preview: Json }).Preview;
  return {
    ...document,
    // Clients call Kept; a receiver has its own types.
    webhooks: undefined,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, Object.fromEntries(operations(item))]),
    ),
    components: {
      schemas: components.schemas,
      parameters: { Preview },
      responses: { Invalid, NotModified, Refused: { description: "`code` says why", content } },
    },
  };
}

/** The second half of `npm run openapi`. The generator needs an older TypeScript than this project's, so both are fetched for the run. */
async function writeClientTypes(): Promise<void> {
  const folder = temporaryFolder("types");
  try {
    await Bun.write(join(folder, "openapi.json"), JSON.stringify(forClients(JSON.parse(openApiText()))));
    const packages = ["--package=openapi-typescript@7.13.0", "--package=typescript@5.9.3"];
    const made =
      await $`npm exec --yes ${packages} -- openapi-typescript ${join(folder, "openapi.json")}`.text();
    // Fields of type never tell a client nothing, except that a 204 has no content.
    const types = made
      .replace(/^ *(?!content)\w+\?: never;\n/gm, "")
      .replace(/^ *\/\*\* (@description (Success|Done)|@constant) \*\/\n/gm, "")
      .replace(/^ *\/\*\*\n *\* @constant\n(.*\n)? *\*\/\n/gm, "");
    await Bun.write(clientTypes, types);
    await $`npm exec biome -- format --write ${clientTypes}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) await writeClientTypes();
