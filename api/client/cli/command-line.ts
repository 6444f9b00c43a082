import type { KeptClient } from "../index.ts";
import type { Memory } from "./memory.ts";

/** The context of every command of `kept`. */
export type CommandLine = Readonly<{
  client: KeptClient;
  /** The address of Kept and its account pages. */
  url: string;
  memory: Memory;
  /** Prints a text for people, or with --json the value on one line. */
  print(text: string, value: unknown): void;
}>;
