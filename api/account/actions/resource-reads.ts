import { contracts } from "../../../shared/contracts/catalogue.ts";
import { inputOfUri } from "../../../shared/contracts/mcp-resource.ts";
import type { Tool } from "../../../shared/contracts/tool.ts";
import { argument, quoted, type SentArguments, said } from "../../../shared/contracts/tool-sentence.ts";

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
