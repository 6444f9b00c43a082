import type { Static } from "typebox";
import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { resourceRead } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import type { SentArguments } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { argumentsOfRead } from "./resource-reads.ts";

/** One row of the action log, as it is read. */
export type LoggedRow = Static<typeof LoggedAction>;

/** What the caller sent, by the names that tools have for it; the log knows what it was about even where that is gone. */
export function argumentsOfRow({ tool, arguments: stored, ...row }: LoggedRow): SentArguments {
  const { args } = readStored(stored);
  if (tool === resourceRead) return argumentsOfRead(args);
  return row.resource_kind ? { [`${row.resource_kind}_id`]: row.resource_id, ...args } : args;
}
