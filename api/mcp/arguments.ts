import { type Fields, validate } from "../../shared/contracts/validate.ts";
import { invalid, isRefused, type Refused } from "../../shared/errors.ts";
import type { ToolEntry } from "./tools.ts";

export type ToolInput = Readonly<{
  /** Validated against the contract. */
  input: Fields;
  idempotencyKey: string | undefined;
}>;

/** A tool's arguments, checked strictly and turned into what its contract takes. */
export function readArguments({ contract, tool, ...entry }: ToolEntry, args: Fields): ToolInput | Refused {
  const known = Object.keys(entry.arguments.properties);
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length > 0) return unknownArguments(unknown, known);
  const checked = validate({ input: entry.arguments, ...(tool.refine && { refine: tool.refine }) }, args);
  if (isRefused(checked)) return checked;
  const { idempotency_key: key, ...own } = checked.input as Fields;
  const accepted = validate(contract, tool.toInput(own as never) as Fields);
  if (isRefused(accepted)) return accepted;
  return { input: accepted.input, idempotencyKey: key as string | undefined };
}

const maxShown = 64;

function unknownArguments(unknown: readonly string[], known: readonly string[]): Refused {
  const sentence = `is not an argument of this tool, which takes ${known.join(", ")}.`;
  return invalid(
    Object.fromEntries(unknown.map((name) => [name, [`${name.slice(0, maxShown)} ${sentence}`]])),
  );
}
