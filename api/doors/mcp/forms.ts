import { type TObject, Type } from "typebox";
import { type CommandName, contracts } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../shared/contracts/kernel/contract.ts";
import { argument } from "../../../shared/contracts/kernel/sent-arguments.ts";
import { asksFor, type Form, type OtherForm, type Tool } from "../../../shared/contracts/kernel/tool.ts";
import { isObject } from "../../http/input/body.ts";
import type { KnownNames } from "../../http/input/unknown-names.ts";
import type { Fields } from "../../http/input/validate.ts";
import { createReader, withManner } from "./arguments.ts";
import { answered } from "./result.ts";
import { listsOf, type OneTarget, severalTarget, shownLists } from "./several.ts";
import type { CallTarget } from "./target.ts";

/** One act of a tool, on one thing or on several. */
export type ToolAct = Readonly<{ isAskedBy(args: Fields): boolean; target: CallTarget }>;

type CommandOfTool = CommandContract<CommandName>;
type AnyForm = Form & Partial<OtherForm>;

/** The acts of the tool's other forms in their order, then its own. */
export const actsOf = (tool: Tool, contract: CommandOfTool): readonly ToolAct[] => [
  ...otherForms(tool).flatMap((form) => actsOfForm(tool, form, commandNamed(form.command))),
  ...actsOfForm(tool, tool, contract),
];

const otherForms = ({ forms = [] }: Tool): readonly OtherForm[] => forms;

function actsOfForm(tool: Tool, form: AnyForm, contract: CommandOfTool): readonly ToolAct[] {
  const one = targetOfOne(tool, form, contract);
  const isAskedBy = (args: Fields) => asksFor(form, args);
  const lists = Object.keys(listsOf(tool, form.arguments));
  const hasList = (args: Fields) => lists.some((list) => argument(args, list) !== undefined);
  const several = { isAskedBy: (args: Fields) => isAskedBy(args) && hasList(args) };
  return [
    { ...several, target: severalTarget(tool, form, one) },
    { isAskedBy, target: one },
  ];
}

function targetOfOne(tool: Tool, form: AnyForm, contract: CommandOfTool): OneTarget {
  const { by, within } = form;
  const own =
    within && by !== undefined
      ? Type.Object({ ...form.arguments.properties, [by]: Type.Optional(within) })
      : form.arguments;
  const input = withManner(own);
  const shown = by === undefined ? withManner(shownArguments(tool)) : input;
  const known: KnownNames = {
    what: by === undefined ? "an argument of this tool" : `an argument beside ${by}`,
    names: Object.keys({ ...shown.properties, ...listsOf(tool, form.arguments) }),
    alwaysListed: true,
  };
  const read = createReader({ form, input, known, elsewhere: tool.elsewhere, refine: contract.refine });
  const given = givenOf(tool);
  return {
    ...{ contract, scopes: contract.scopes },
    read: otherForms(tool).length > 0 ? (args) => read(flattened(given(args), within && by)) : read,
    answer: (success) => answered(form.result(success.body, success.input), success),
  };
}

/** Removes arguments that count as absent: empty lists, and false where true would choose a form. */
function givenOf(tool: Tool): (args: Fields) => Fields {
  const { properties } = shownArguments(tool);
  const asking = otherForms(tool).map(({ by }) => by);
  const isNone = (args: Fields, name: string) =>
    argument(args, name) === undefined || (args[name] === false && asking.includes(name));
  const isGiven = (args: Fields, name: string) => !Object.hasOwn(properties, name) || !isNone(args, name);
  return (args) => Object.fromEntries(Object.entries(args).filter(([name]) => isGiven(args, name)));
}

/** Replaces an argument that is an object of arguments by its properties. */
function flattened(args: Fields, within: string | undefined): Fields {
  const { [within ?? ""]: nested, ...others } = args;
  return isObject(nested) ? { ...nested, ...others } : args;
}

/** All arguments of a tool, for its list. A tool with several forms requires none of them in each call. */
export function shownArguments(tool: Tool): TObject {
  const forms = otherForms(tool);
  if (forms.length === 0 && !tool.many) return tool.arguments;
  const ofForms = forms.map(({ by, within, arguments: { properties } }) =>
    within ? { [by]: within } : properties,
  );
  return Type.Partial(
    Type.Object(Object.assign({}, tool.arguments.properties, shownLists(tool), ...ofForms)),
  );
}

/** @throws Error at the start of the process, because a tool names it */
function commandNamed(name: string): CommandOfTool {
  const found = contracts.find((contract) => contract.name === name);
  if (found?.kind !== "command") throw new Error(`A tool names the command ${name}, which there is not.`);
  return found;
}
