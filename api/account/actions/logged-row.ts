import type { Static } from "typebox";
import type { LoggedAction } from "../../../shared/contracts/action.ts";
import { resourceRead } from "../../../shared/contracts/mcp-resource.ts";
import type { SentArguments } from "../../../shared/contracts/tool-sentence.ts";
import { readStored } from "../../../shared/domain/cut-arguments.ts";
import { argumentsOfRead } from "./resource-reads.ts";

/** One row of the action log, as it is read. */
export type LoggedRow = Static<typeof LoggedAction>;

/** What the caller sent, by the names that tools have for it. */
export function argumentsOfRow({ tool, arguments: stored }: LoggedRow): SentArguments {
  const { args } = readStored(stored);
  return tool === resourceRead ? argumentsOfRead(args) : args;
}
