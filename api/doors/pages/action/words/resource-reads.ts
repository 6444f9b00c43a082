import { contracts } from "../../../../../shared/contracts/catalogue.ts";
import { inputOfUri } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import type { Tool } from "../../../../../shared/contracts/kernel/tool.ts";
import {
  argument,
  quoted,
  type SentArguments,
  said,
} from "../../../../../shared/contracts/kernel/tool-sentence.ts";

const resources = contracts.flatMap((contract) =>
  contract.kind === "query" && contract.mcpResource ? [contract.mcpResource] : [],
);

/** What the address of a read resource says, by the names that tools have for it. */
export function argumentsOfRead(args: SentArguments): SentArguments {
  const inputs = resources.map((resource) => inputOfUri(resource, argument(args, "uri")));
  return { ...args, ...inputs.find((input) => input !== undefined) };
}

export const sayRead: Tool["sentence"] = (args, names) => {
  const read = resources.find((resource) => inputOfUri(resource, argument(args, "uri")));
  const unknown = ["a resource that Kept does not have, ", quoted(args, "uri")];
  return read?.sentence(args, names) ?? said("Read", "read", ...unknown);
};
