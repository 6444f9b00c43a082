import type { Today } from "../../domain/day/day.ts";
import { numberOfDigits } from "./fields.ts";

/** A read that people attach to a conversation, from a menu of their MCP client. */
export type McpResource<Output = unknown> = Readonly<{
  /** Its address; `{id}` at the end stands for the id of one thing. */
  uri: string;
  /** The input field of the contract that takes the id. */
  idField?: string;
  name: string;
  title: string;
  description: string;
  lines(output: Output, today: Today): readonly string[];
  /** Its object in the log, after “Looked at”; the thing of its id follows. */
  looksAt: string;
}>;

/** The log's name for a read of a resource; its only argument is `uri`. */
export const resourceRead = "resources/read";

/** @returns the input for the read that an address means; undefined if it means another resource, or none */
export function inputOfUri(
  { uri, idField }: McpResource,
  sent: unknown,
): Readonly<Record<string, number>> | undefined {
  if (idField === undefined) return sent === uri ? {} : undefined;
  const prefix = uri.replace("{id}", "");
  const id = typeof sent === "string" && sent.startsWith(prefix) && numberOfDigits(sent.slice(prefix.length));
  return typeof id === "number" && Number.isSafeInteger(id) ? { [idField]: id } : undefined;
}
