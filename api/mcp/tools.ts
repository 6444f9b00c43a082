import { type TObject, type TSchema, Type } from "typebox";
import { type CommandName, contracts, type QueryName } from "../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../shared/contracts/contract.ts";
import { IdempotencyKey } from "../../shared/contracts/fields.ts";
import { maxSeveral } from "../../shared/contracts/several.ts";
import type { QueryTool, Tool } from "../../shared/contracts/tool.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { objectSchema } from "./wire-schema.ts";

/** How a call of a tool names several things, and the command that does what it asks for. */
export type SeveralForm = Readonly<{
  contract: CommandContract<CommandName>;
  argument: string;
  each?: string | undefined;
  /** What such a call has whatever its tool: the list and the idempotency key. */
  listAndKey: TObject;
  /** The list in the answer to tools/list. */
  shown: TSchema;
}>;

/** One tool with its contract. A command's `arguments` are the tool's own and the idempotency key. */
export type ToolEntry = Readonly<{ arguments: TObject }> &
  (
    | Readonly<{
        kind: "command";
        contract: CommandContract<CommandName>;
        tool: Tool;
        instead?: CommandContract<CommandName> | undefined;
        several?: SeveralForm | undefined;
      }>
    | Readonly<{ kind: "query"; contract: QueryContract<QueryName>; tool: QueryTool }>
  );

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (contract.kind === "query") {
    const { kind, mcp: tool } = contract;
    return tool ? [{ kind, contract, tool, arguments: tool.arguments }] : [];
  }
  const { kind, mcp: tool } = contract;
  if (!tool) return [];
  const instead = tool.instead && commandNamed(tool.instead.command);
  const several = tool.several && severalForm(tool, tool.several);
  return [{ kind, contract, tool, arguments: withIdempotencyKey(tool.arguments), instead, several }];
});

/** @throws Error at the start of the process, because a tool names it */
function commandNamed(name: string): CommandContract<CommandName> {
  const found = contracts.find((contract) => contract.name === name);
  if (found?.kind !== "command") throw new Error(`A tool names the command ${name}, which there is not.`);
  return found;
}

function severalForm({ arguments: own }: Tool, { argument, command, each }: SeveralCall): SeveralForm {
  const one = each === undefined ? undefined : own.properties[each];
  const things = Type.Array(one ?? Type.Unknown(), {
    minItems: 1,
    maxItems: maxSeveral,
    uniqueItems: one !== undefined,
    expects: `a list of 1 to ${maxSeveral}${one ? " that differ" : ""}`,
  });
  const listAndKey = withIdempotencyKey(Type.Object({ [argument]: things }));
  const shown = one ? things : Type.Array(Type.Unsafe<object>({ type: "object" }));
  return { contract: commandNamed(command), argument, each, listAndKey, shown };
}

type SeveralCall = NonNullable<Tool["several"]>;

/** Added here to every write, so that no tool can forget it. */
function withIdempotencyKey({ properties }: TObject): TObject {
  return Type.Object({ ...properties, idempotency_key: Type.Optional(IdempotencyKey) });
}

/** By tool name. */
export const tools: ReadonlyMap<string, ToolEntry> = new Map(
  entries.map((entry) => [entry.tool.name, entry]),
);

/** The entry for a call whose arguments ask for another command than its tool's own, else the entry itself. */
export function entryFor(entry: ToolEntry, args: Fields): ToolEntry {
  if (entry.kind === "query" || !entry.instead || !entry.tool.instead?.when(args)) return entry;
  const { instead: contract, tool } = entry;
  return { ...entry, contract, tool: { ...tool, result: entry.tool.instead.result } };
}

/** A refusal has the day and the zone, too. An agent sees in the answer what else it has, and would pay for it here. */
const outputSchema = { type: "object" as const, required: ["today", "time_zone"] };

/** Where several things can be named, a call of one is not the only one, so no argument is required. */
function shownArguments({ arguments: own, ...entry }: ToolEntry): TObject {
  const several = entry.kind === "command" ? entry.several : undefined;
  if (!several) return own;
  return Type.Partial(Type.Object({ ...own.properties, [several.argument]: several.shown }));
}

/** The answer to tools/list: the same for every token, so that clients know what more they could ask for. */
export const toolList = entries.map((entry) => ({
  name: entry.tool.name,
  title: entry.tool.title,
  description: entry.tool.description,
  inputSchema: objectSchema(shownArguments(entry)),
  outputSchema,
  annotations: {
    readOnlyHint: entry.kind === "query",
    destructiveHint: entry.tool.destructive,
    idempotentHint: entry.tool.idempotent,
    openWorldHint: false,
  },
}));
