import { INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import type { TObject } from "typebox";
import { type CommandName, contracts, type QueryName } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../../shared/contracts/kernel/contract.ts";
import { allScopes, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { isAsked, type Tool } from "../../../shared/contracts/kernel/tool.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import { isObject } from "../../http/input/body.ts";
import type { Fields } from "../../http/input/validate.ts";
import { createReader, withManner } from "./arguments.ts";
import { actsOf, shownArguments, type ToolAct } from "./forms.ts";
import { shownInApp } from "./resources/app.ts";
import { answered, refused } from "./result.ts";
import type { Asked, CallTarget, RefusedAt } from "./target.ts";
import { objectSchema } from "./tool-schemas/input.ts";
import { outputSchema } from "./tool-schemas/output.ts";

/** A tool as agents see it, and all its forms. */
type ToolEntry = Readonly<{ tool: Tool; shown: TObject; isRead: boolean; acts: readonly ToolAct[] }>;

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (contract.kind === "query") return contract.mcp ? [queryEntry(contract, contract.mcp)] : [];
  return contract.mcp ? [commandEntry(contract, contract.mcp)] : [];
});

function queryEntry(contract: QueryContract<QueryName>, tool: NonNullable<QueryContract["mcp"]>): ToolEntry {
  const { elsewhere, arguments: shown } = tool;
  const known = {
    what: "an argument of this tool",
    names: Object.keys(shown.properties),
    alwaysListed: true,
  };
  const read = createReader({ form: tool, input: shown, known, elsewhere, refine: contract.refine });
  const target: CallTarget = {
    ...{ contract, scopes: contract.scopes, read, dayOf: tool.day },
    answer: (success) => answered(tool.result(success.body, success.input), success),
  };
  return { tool, shown, isRead: true, acts: [{ isAskedBy: () => true, target }] };
}

function commandEntry(contract: CommandContract<CommandName>, tool: Tool): ToolEntry {
  const shown = withManner(shownArguments(tool));
  return { tool, shown, isRead: false, acts: actsOf(tool, contract) };
}

/** The scopes that tools need. A 401 names them, so that a client asks for no others (MCP authorization). */
export const toolScopes: readonly Scope[] = allScopes.filter((scope) =>
  contracts.some(
    ({ mcp, scopes, fieldScopes = {} }) =>
      mcp && [scopes, Object.values(fieldScopes)].flat(2).includes(scope),
  ),
);

const tools: ReadonlyMap<string, ToolEntry> = new Map(entries.map((entry) => [entry.tool.name, entry]));

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

/** @returns undefined when the parameters of a tools/call are malformed */
export function askedTool({ name, arguments: args = {} }: Fields): Asked | undefined {
  if (typeof name !== "string" || !isObject(args)) return undefined;
  const act = tools.get(name)?.acts.find(({ isAskedBy }) => isAskedBy(args));
  const target = act ? withFieldScopes(act.target, args) : unknownTool;
  return { name, args, target, refuse: refuseTool };
}

/** Adds the scopes that single arguments need, also within other arguments. */
function withFieldScopes(target: CallTarget, args: Fields): CallTarget {
  const { fieldScopes = target.contract.fieldScopes ?? {} } = target;
  const parts = [args, ...Object.values(args).flat().filter(isObject)];
  const more = Object.entries(fieldScopes).filter(([name]) => parts.some((part) => isAsked(part, name)));
  return { ...target, scopes: [...target.scopes, ...more.map(([, scope]) => scope)] };
}

function refuseTool(refusal: Refusal, at: RefusedAt) {
  if (refusal === unknownTool.refusal) throw new ProtocolError(INVALID_PARAMS, refusal.message);
  return refused(refusal, at);
}

/** The answer to tools/list: the same for every token, so that clients know what scopes they could ask for. */
export const toolList = entries.map(({ tool, shown, isRead }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: objectSchema(shown),
  outputSchema: outputSchema(tool),
  annotations: {
    readOnlyHint: isRead,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
  ...(isRead && shownInApp),
}));
