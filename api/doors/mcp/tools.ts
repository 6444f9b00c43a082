import { INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import { type TObject, Type } from "typebox";
import { type CommandName, contracts, type QueryName } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../../shared/contracts/kernel/contract.ts";
import type { Tool } from "../../../shared/contracts/kernel/tool.ts";
import { argument } from "../../../shared/contracts/kernel/tool-sentence.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import { isObject } from "../../http/input/body.ts";
import type { Fields } from "../../http/input/validate.ts";
import { createReader, type ReadArguments, withIdempotencyKey } from "./arguments.ts";
import { answered, refused } from "./result.ts";
import { severalTarget } from "./several.ts";
import type { Asked, CallTarget, RefusedAt } from "./target.ts";
import { objectSchema } from "./wire-schema.ts";

/** A target that some calls of a tool stand for. */
type Form = Readonly<{ isAskedBy(args: Fields): boolean; target: CallTarget }>;

/** A tool as agents see it, and the targets of its calls: the first form that is asked for, else its own. */
type ToolEntry = Readonly<{
  tool: Tool;
  shown: TObject;
  isRead: boolean;
  forms: readonly Form[];
  own: CallTarget;
}>;

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (contract.kind === "query") return contract.mcp ? [queryEntry(contract, contract.mcp)] : [];
  return contract.mcp ? [commandEntry(contract, contract.mcp)] : [];
});

function queryEntry(contract: QueryContract<QueryName>, tool: NonNullable<QueryContract["mcp"]>): ToolEntry {
  const own = { ...targetOf(contract, tool.result, createReader(tool, tool.arguments)), dayOf: tool.day };
  return { tool, shown: tool.arguments, isRead: true, forms: [], own };
}

function commandEntry(contract: CommandContract<CommandName>, tool: Tool): ToolEntry {
  const input = withIdempotencyKey(tool.arguments);
  const read = createReader(tool, input);
  const entry = { tool, shown: input, isRead: false, forms: [], own: targetOf(contract, tool.result, read) };
  const { instead, several } = tool;
  if (instead) {
    const target = targetOf(commandNamed(instead.command), instead.result, read);
    return { ...entry, forms: [{ isAskedBy: instead.when, target }] };
  }
  if (!several) return entry;
  const { target, list } = severalTarget(tool, several, commandNamed(several.command), contract);
  const isAskedBy = (args: Fields) => argument(args, several.argument) !== undefined;
  // A call of one thing is not the only one, so no argument is required.
  const shown = Type.Partial(Type.Object({ ...input.properties, [several.argument]: list }));
  return { ...entry, shown, forms: [{ isAskedBy, target }] };
}

function targetOf(contract: CallTarget["contract"], result: Tool["result"], read: ReadArguments): CallTarget {
  return { contract, read, answer: (success) => answered(result(success.body, success.input), success) };
}

/** @throws Error at the start of the process, because a tool names it */
function commandNamed(name: string): CommandContract<CommandName> {
  const found = contracts.find((contract) => contract.name === name);
  if (found?.kind !== "command") throw new Error(`A tool names the command ${name}, which there is not.`);
  return found;
}

const tools: ReadonlyMap<string, ToolEntry> = new Map(entries.map((entry) => [entry.tool.name, entry]));

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

/** @returns undefined when the parameters of a tools/call are malformed */
export function askedTool({ name, arguments: args = {} }: Fields): Asked | undefined {
  if (typeof name !== "string" || !isObject(args)) return undefined;
  const entry = tools.get(name);
  const form = entry?.forms.find(({ isAskedBy }) => isAskedBy(args));
  return { name, args, target: form?.target ?? entry?.own ?? unknownTool, refuse: refuseTool };
}

function refuseTool(refusal: Refusal, { today, replayed }: RefusedAt) {
  if (refusal === unknownTool.refusal) throw new ProtocolError(INVALID_PARAMS, refusal.message);
  return refused(refusal, today, replayed);
}

/** A refusal has the day and the zone, too. More would cost agents tokens. */
const outputSchema = { type: "object" as const, required: ["today", "time_zone"] };

/** The answer to tools/list: the same for every token, so that clients know what more they could ask for. */
export const toolList = entries.map(({ tool, shown, isRead }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: objectSchema(shown),
  outputSchema,
  annotations: {
    readOnlyHint: isRead,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
}));
