import { ProtocolError, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import type { Fields } from "../../http/input.ts";
import { resourceRead } from "../../queries/action/things.ts";
import { bundle, stylesheet } from "../../web/assets.ts";
import { serverError } from "./errors.ts";
import { type Resource, resources } from "./resource.ts";
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
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Kept</title>
<style>${await stylesheet.response().text()}</style></head>
<body><main class="app"><ul class="plain"></ul><p role="status" class="quiet"></p></main>
<script type="module">${script}</script></body></html>`;

/** @returns undefined for any other address */
export const readApp = (asked: unknown): ReadResourceResult | undefined =>
  asked === appUri
    ? { contents: [{ uri: appUri, mimeType: appMimeType, text, _meta: { ui: { prefersBorder: false } } }] }
    : undefined;

const mimeType = "text/plain";
const shown = ({ name, title, description }: Resource) => ({ name, title, description, mimeType });
const isTemplate = ({ uri }: Resource): boolean => uri.endsWith("{id}");

/** The answers to resources/list and resources/templates/list: the same for every token, as the list of tools is. */
export const resourceList = resources
  .filter((one) => !isTemplate(one))
  .map((one) => ({ uri: one.uri, ...shown(one) }));
export const templateList = resources
  .filter(isTemplate)
  .map((one) => ({ uriTemplate: one.uri, ...shown(one) }));

const unknownResource = refuse("not_found", "There is no such resource.");

/** @returns undefined when the parameters of a resources/read are malformed, or ask for the app, which has no data */
export function askedResource({ uri }: Fields): Asked | undefined {
  if (typeof uri !== "string" || uri === appUri) return undefined;
  const target = targetAt(uri) ?? unknownResource;
  return { name: resourceRead, args: { uri }, target, refuse: (refusal) => refuseResource(uri, refusal) };
}

function targetAt(uri: string): CallTarget | undefined {
  for (const { contract, inputAt, lines } of resources) {
    const fields = inputAt(uri);
    const answer = ({ body, ...moment }: Success): ReadResourceResult => {
      const text = [dayLine(dayFields(moment)), ...lines(body, moment.today)].join("\n");
      return { contents: [{ uri, mimeType, text }] };
    };
    if (fields) {
      const understand = () => ({ contract, fields, answer });
      return { scopes: contract.scopes, writes: false, understand };
    }
  }
  return undefined;
}

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
