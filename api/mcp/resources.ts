import { type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { contracts, type QueryName } from "../../shared/contracts/catalogue.ts";
import type { QueryContract } from "../../shared/contracts/contract.ts";
import { inputOfUri, type McpResource } from "../../shared/contracts/mcp-resource.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import { prepare } from "../perform.ts";
import { away, type CallContext, logUnadmitted, readAndLog, readToday, withOutages } from "./admit.ts";
import { rpcError } from "./errors.ts";
import type { ReceivedCall } from "./log-call.ts";
import { dayLine } from "./result.ts";

type ResourceEntry = Readonly<{ contract: QueryContract<QueryName>; resource: McpResource }>;

/** A resource that an address means, with the input of its read. */
type FoundResource = ResourceEntry & Readonly<{ input: Readonly<Record<string, number>> }>;

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

export function findResource(uri: unknown): FoundResource | Refused {
  for (const entry of entries) {
    const input = inputOfUri(entry.resource, uri);
    if (input) return { ...entry, input };
  }
  return unknownResource;
}

/** Answers a read of a resource once its row in the action log is committed. @throws ProtocolError when it is refused */
export async function readResource(
  context: CallContext,
  call: ReceivedCall,
  found: FoundResource | Refused,
): Promise<ReadResourceResult> {
  const uri = String(call.args.uri);
  const text = isRefused(found)
    ? await logUnadmitted(context, call, found)
    : await withOutages(context, call, "no", () => textOf(context, call, found));
  if (typeof text === "string") return { contents: [{ uri, mimeType, text }] };
  throw text.refusal.code === "not_found" ? new ResourceNotFoundError(uri) : rpcError(text.refusal);
}

async function textOf(
  context: CallContext,
  call: ReceivedCall,
  { contract, resource, input }: FoundResource,
): Promise<string | Refused> {
  const prepared = await prepare({ contract, actor: call.actor, content: () => ({ fields: input }) });
  if (isRefused(prepared)) return logUnadmitted(context, call, prepared);
  const read = await readAndLog(context, call, prepared);
  if (isRefused(read)) return read;
  const today = read.today ?? (await readToday(context, call));
  if (!today) return away("no");
  return [dayLine(today), ...resource.lines(read.body, today)].join("\n");
}
