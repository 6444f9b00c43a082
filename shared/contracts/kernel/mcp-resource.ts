import type { Today } from "../../domain/day/today.ts";
import { numberOfDigits } from "./fields.ts";
import type { LooksAt } from "./tool-sentence.ts";

/** A read that people attach to a conversation, from a menu of their MCP client. */
export type McpResource<Output = unknown> = Readonly<{
  /** Its address; `{id}` at the end stands for the id of one thing. */
  uri: string;
  /** The field of the contract's input that the id is. */
  idField?: string;
  name: string;
  title: string;
  description: string;
  lines(output: Output, today: Today): readonly string[];
  looksAt: LooksAt;
}>;

/** The log's name for a read of a resource; its only argument is `uri`. */
export const resourceRead = "resources/read";

/** @returns the input of the read that an address means; undefined when it means another resource, or none */
export function inputOfUri(
  { uri, idField }: McpResource,
  sent: unknown,
): Readonly<Record<string, number>> | undefined {
  if (idField === undefined) return sent === uri ? {} : undefined;
  const place = uri.replace("{id}", "");
  const id = typeof sent === "string" && sent.startsWith(place) && numberOfDigits(sent.slice(place.length));
  return typeof id === "number" && Number.isSafeInteger(id) ? { [idField]: id } : undefined;
}
