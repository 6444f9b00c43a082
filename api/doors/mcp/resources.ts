import { ProtocolError, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { contracts, type QueryName } from "../../../shared/contracts/catalogue.ts";
import type { QueryContract } from "../../../shared/contracts/kernel/contract.ts";
import { inputOfUri, type McpResource, resourceRead } from "../../../shared/contracts/kernel/tool.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import type { Fields } from "../../http/input/validate.ts";
import { bundle, stylesheet } from "../../web/assets.ts";
import { serverError } from "./errors.ts";
import { advise, dayFields, dayLine } from "./result.ts";
import type { Asked, CallTarget, Success } from "./target.ts";

/**
 * The habits or todos that a read tool found, to tick in the conversation, where the host shows apps (MCP Apps,
 * 2026-01-26). The document is the same for everybody: the host hands it the tool's result, and makes its calls.
 */
const appUri = "ui://kept/today";
const appMimeType = "text/html;profile=mcp-app";

/** Stands in the list of tools beside those whose results the app shows. */
export const shownInApp = { _meta: { ui: { resourceUri: appUri } } } as const;

const script = (await bundle("app")).replaceAll("</script", "<\\/script");

const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kept</title>
<style>${await stylesheet.response().text()}</style></head>
<body><main class="app"><ul class="plain"></ul><p role="status" class="quiet"></p></main>
<script type="module">${script}</script></body></html>`;

/** @returns undefined for any other address */
export const readApp = (asked: unknown): ReadResourceResult | undefined =>
  asked === appUri
    ? { contents: [{ uri: appUri, mimeType: appMimeType, text, _meta: { ui: { prefersBorder: false } } }] }
    : undefined;

type ResourceEntry = Readonly<{ contract: QueryContract<QueryName>; resource: McpResource }>;

const entries = contracts.flatMap((contract): ResourceEntry[] =>
  contract.kind === "query" && contract.mcpResource ? [{ contract, resource: contract.mcpResource }] : [],
);

const mimeType = "text/plain";
const isTemplate = ({ resource }: ResourceEntry): boolean => resource.idField !== undefined;
const shown = ({ resource: { name, title, description } }: ResourceEntry) => ({
  name,
  title,
  description,
  mimeType,
});

/** The answers to resources/list and resources/templates/list: the same for every token, as the list of tools is. */
export const resourceList = entries
  .filter((entry) => !isTemplate(entry))
  .map((entry) => ({ uri: entry.resource.uri, ...shown(entry) }));
export const templateList = entries
  .filter(isTemplate)
  .map((entry) => ({ uriTemplate: entry.resource.uri, ...shown(entry) }));

const unknownResource = refuse("not_found", "There is no such resource.");

/** @returns undefined when the parameters of a resources/read are malformed, or ask for the app, which has no data */
export function askedResource({ uri }: Fields): Asked | undefined {
  if (typeof uri !== "string" || uri === appUri) return undefined;
  const target = targetAt(uri) ?? unknownResource;
  return { name: resourceRead, args: { uri }, target, refuse: (refusal) => refuseResource(uri, refusal) };
}

function targetAt(uri: string): CallTarget | undefined {
  for (const { contract, resource } of entries) {
    const fields = inputOfUri(resource, uri);
    if (fields)
      return {
        ...{ contract, scopes: contract.scopes, read: () => ({ fields }) },
        answer: (success) => shownText(uri, resource, success),
      };
  }
  return undefined;
}

const shownText = (uri: string, resource: McpResource, { body, ...moment }: Success): ReadResourceResult => ({
  contents: [
    { uri, mimeType, text: [dayLine(dayFields(moment)), ...resource.lines(body, moment.today)].join("\n") },
  ],
});

/** A read of a resource has no `isError`, unlike a tool's result, so its refusal is an error of the protocol. */
function refuseResource(uri: string, refusal: Refusal): never {
  const { code, applied, retryAfterSeconds: seconds } = refusal;
  if (code === "not_found") throw new ResourceNotFoundError(uri);
  const data = {
    code,
    ...(applied && { applied }),
    ...(seconds !== undefined && { retry_after_seconds: seconds }),
  };
  throw new ProtocolError(serverError, advise(refusal), data);
}
