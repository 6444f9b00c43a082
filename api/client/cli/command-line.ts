import type { KeptClient } from "../index.ts";
import type { Memory } from "./memory.ts";

/** The context of commands that need no account. */
type Terminal = Readonly<{
  env: NodeJS.ProcessEnv;
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

type Given = Readonly<Record<string, string | boolean | undefined>>;

type Declaration<Context> = Readonly<{
  name: string;
  /** Optional operands stand in brackets; the last one that is not takes all further words. */
  operands: string;
  summary: string;
  options?: Options;
  run(context: Context, words: readonly string[], values: Given): Promise<void>;
}>;

/** Usage, completions and the table of docs/client.md are made from the declarations of commands. */
export type Command =
  | Readonly<Required<Declaration<CommandLine>> & { isLocal: false }>
  | Readonly<Required<Declaration<Terminal>> & { isLocal: true }>;

export const keptCommand = (declared: Declaration<CommandLine>): Command => ({
  options: {},
  ...declared,
  isLocal: false,
});

/** Declares a command that runs without an account. */
export const localCommand = (declared: Declaration<Terminal>): Command => ({
  options: {},
  ...declared,
  isLocal: true,
});
