import { type TObject, Type } from "typebox";
import { contracts } from "../../shared/contracts/catalogue.ts";
import type { Contract, Tool } from "../../shared/contracts/contract.ts";
import { outputSchema, type Presenter, presenters } from "./results.ts";
import { wireSchema } from "./wire-schema.ts";

/** One tool: its contract, its declaration in it, and what its result looks like. */
export type ToolEntry = Readonly<{
  contract: Contract;
  tool: Tool;
  /** The tool's own arguments and the door's. */
  arguments: TObject;
  presenter: Presenter;
}>;

const maxKeyLength = 255;
const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: maxKeyLength,
  expects: `text of 1 to ${maxKeyLength} characters`,
});

/** Every write takes an idempotency key, and the door adds it, so that no tool can forget it. */
function argumentsOf({ kind }: Contract, tool: Tool): TObject {
  if (kind === "query") return tool.arguments;
  return Type.Object({ ...tool.arguments.properties, idempotency_key: Type.Optional(IdempotencyKey) });
}

const entries = contracts.flatMap((contract): ToolEntry[] => {
  const tool = contract.mcp;
  if (!tool) return [];
  const presenter = presenters[contract.name];
  if (!presenter) throw new Error(`The tool of ${contract.name} has no result.`);
  return [{ contract, tool, arguments: argumentsOf(contract, tool), presenter }];
});

/** By tool name. */
export const tools: ReadonlyMap<string, ToolEntry> = new Map(
  entries.map((entry) => [entry.tool.name, entry]),
);

/** The answer to tools/list: the same for every token, so that clients know what more they could ask for. */
export const toolList = entries.map(({ contract, tool, presenter, ...entry }) => ({
  name: tool.name,
  description: tool.description,
  inputSchema: wireSchema(entry.arguments) as { type: "object" },
  outputSchema: outputSchema(presenter),
  annotations: {
    readOnlyHint: contract.kind === "query",
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
}));
