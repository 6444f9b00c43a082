import type { KeptClient } from "../index.ts";
import type { Memory } from "./memory.ts";

/** The context of commands that need no account. */
export type Terminal = Readonly<{
  env: NodeJS.ProcessEnv;
  commands: readonly Command[];
  /** Prints a text for people, or with --json the value on one line. */
  print(text: string, value: unknown): void;
}>;

/** The context of commands on the things of an account. */
export type CommandLine = Terminal &
  Readonly<{
    client: KeptClient;
    /** The address of Kept and its account pages. */
    url: string;
    memory: Memory;
  }>;

type Option = Readonly<{
  type: "string" | "boolean";
  summary: string;
  /** The value as usage shows it: a word, or choices such as `a|b|c`. */
  value?: string;
}>;
type Options = Readonly<Record<string, Option>>;
type Values<Declared extends Options> = {
  readonly [Name in keyof Declared]?: Declared[Name]["type"] extends "boolean" ? boolean : string;
};

/** The options of a command line, by name. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

type Declaration<Context, Declared extends Options, Chosen = Values<Declared>> = Readonly<{
  name: string;
  /** Optional operands stand in brackets; the last one that is not takes all further words. */
  operands: string;
  summary: string;
  options: Declared;
  run(context: Context, words: readonly string[], values: Chosen): Promise<void>;
}>;

/** Usage, completions and the table of docs/client.md are made from the declarations of commands. */
export type Command =
  | (Declaration<CommandLine, Options, Given> & Readonly<{ isLocal: false }>)
  | (Declaration<Terminal, Options, Given> & Readonly<{ isLocal: true }>);

export const keptCommand = <const Declared extends Options>(
  declared: Declaration<CommandLine, Declared>,
): Command => ({ ...declared, isLocal: false });

/** Declares a command that runs without an account. */
export const localCommand = <const Declared extends Options>(
  declared: Declaration<Terminal, Declared>,
): Command => ({ ...declared, isLocal: true });

/** The number of words that a command takes. */
export function operandCounts({
  operands,
}: Pick<Command, "operands">): Readonly<{ least: number; most: number }> {
  const all = operands.split(" ").filter((operand) => operand !== "");
  const least = all.filter((operand) => !operand.startsWith("[")).length;
  return { least, most: least > 0 && !operands.includes("|") ? Number.POSITIVE_INFINITY : all.length };
}

/** The choices in a text such as `[a|b|c]`; none if it is any word. */
export const choicesIn = (text: string): readonly string[] =>
  text.includes("|") ? text.replace(/[[\]]/g, "").split("|") : [];
