import { type TObject, type TSchema, Type } from "typebox";
import { type CommandName, contracts, type QueryName } from "../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../shared/contracts/contract.ts";
import { Id, IdempotencyKey, numberOfDigits } from "../../shared/contracts/fields.ts";
import type { QueryTool, Tool } from "../../shared/contracts/tool.ts";
import { unknownNames } from "../../shared/contracts/unknown-names.ts";
import { type Fields, validate } from "../../shared/contracts/validate.ts";
import { invalid, isRefused, type Refused } from "../../shared/errors.ts";
import type { Content } from "../perform.ts";
import { objectSchema } from "./wire-schema.ts";

/** One tool with its contract. A command's `arguments` are the tool's own and the idempotency key. */
export type ToolEntry = Readonly<{ arguments: TObject }> &
  (
    | Readonly<{ kind: "command"; contract: CommandContract<CommandName>; tool: Tool }>
    | Readonly<{ kind: "query"; contract: QueryContract<QueryName>; tool: QueryTool }>
  );

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (contract.kind === "query") {
    const { kind, mcp: tool } = contract;
    return tool ? [{ kind, contract, tool, arguments: tool.arguments }] : [];
  }
  const { kind, mcp: tool } = contract;
  return tool ? [{ kind, contract, tool, arguments: withIdempotencyKey(tool.arguments) }] : [];
});

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
  if (entry.kind === "query") return entry;
  const { instead } = entry.tool;
  const contract = contracts.find(({ name }) => name === instead?.command);
  if (!instead?.when(args) || contract?.kind !== "command") return entry;
  return { ...entry, contract, tool: { ...entry.tool, result: instead.result } };
}

/** A refusal has the day and the zone, too. An agent sees in the answer what else it has, and would pay for it here. */
const outputSchema = { type: "object" as const, required: ["today", "time_zone"] };

/** The answer to tools/list: the same for every token, so that clients know what more they could ask for. */
export const toolList = entries.map(({ kind, tool, ...entry }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: objectSchema(entry.arguments),
  outputSchema,
  annotations: {
    readOnlyHint: kind === "query",
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
}));

/** Checks a tool's arguments strictly and turns them into the content of a request by its contract. */
export function readArguments({ tool, ...entry }: ToolEntry, args: Fields): Content | Refused {
  const { elsewhere = {} } = tool;
  const unknown = {
    ...unknownNames(Object.keys(args), {
      what: "an argument of this tool",
      names: Object.keys(entry.arguments.properties),
      alwaysListed: true,
    }),
    ...Object.fromEntries(Object.entries(elsewhere).filter(([name]) => Object.hasOwn(args, name))),
  };
  const checked = validate({ input: entry.arguments }, withNumericIds(entry, args), { unknown });
  if (isRefused(checked)) return checked;
  const { idempotency_key: key, ...own } = checked.input;
  const errors = tool.refine?.(own);
  if (errors) return invalid(errors);
  const fields = { ...tool.toInput(own) };
  return typeof key === "string" ? { fields, idempotencyKey: key } : { fields };
}

/** Ids become numbers before anything looks at them, so that "7" and 7 are the same request. */
function withNumericIds({ arguments: schema }: Pick<ToolEntry, "arguments">, args: Fields): Fields {
  const fields = { ...args };
  for (const [name, property] of Object.entries(schema.properties))
    if (Object.hasOwn(args, name)) fields[name] = withNumericId(property, args[name]);
  return fields;
}

/** An optional schema is a copy, so that of an id is known by its title. */
function withNumericId({ title, items }: IdSchema, value: unknown): unknown {
  if (title === Id.title) return numberOfDigits(value);
  return items?.title === Id.title && Array.isArray(value) ? value.map(numberOfDigits) : value;
}

type IdSchema = TSchema & { title?: string; items?: { title?: string } };
