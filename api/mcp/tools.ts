import { Type } from "typebox";
import { contracts } from "../../shared/contracts/catalogue.ts";
import type { Contract, Tool } from "../../shared/contracts/contract.ts";
import { outputSchema, type Presenter, presenters } from "./results/index.ts";
import { wireSchema } from "./wire-schema.ts";

/** One tool: its contract, its declaration in it, and what its result looks like. */
export type ToolEntry = Readonly<{ contract: Contract; tool: Tool; presenter: Presenter }>;

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (!contract.mcp) return [];
  const presenter = presenters[contract.name];
  if (!presenter) throw new Error(`The tool of ${contract.name} has no result.`);
  return [{ contract, tool: contract.mcp, presenter }];
});

/** By tool name. */
export const tools: ReadonlyMap<string, ToolEntry> = new Map(
  entries.map((entry) => [entry.tool.name, entry]),
);

const maxKeyLength = 255;

/** Every write takes it, and the door adds it, so that no tool can forget it. */
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: maxKeyLength,
  expects: `text of 1 to ${maxKeyLength} characters`,
});

/** All arguments of a tool as a schema, the door's own included. */
export function argumentsOf({ contract, tool }: ToolEntry) {
  if (contract.kind === "query") return tool.arguments;
  return Type.Object({ ...tool.arguments.properties, idempotency_key: Type.Optional(IdempotencyKey) });
}

/** The answer to tools/list: the same for every token, so that clients know what more they could ask for. */
export const toolList = entries.map((entry) => {
  const { contract, tool, presenter } = entry;
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: wireSchema(argumentsOf(entry)) as { type: "object" },
    outputSchema: outputSchema(presenter),
    annotations: {
      readOnlyHint: contract.kind === "query",
      destructiveHint: tool.destructive,
      idempotentHint: tool.idempotent,
      openWorldHint: false,
    },
  };
});
