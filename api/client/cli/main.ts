#!/usr/bin/env node
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { createKeptClient, KeptError } from "../index.ts";
import { type Command, type CommandLine, type Given, operandCounts, type Terminal } from "./command-line.ts";
import { keptCommands } from "./commands.ts";
import { type Access, openAccess } from "./login/access.ts";
import { openMemory } from "./memory.ts";
import { usageOf } from "./usage.ts";

const general = {
  help: { type: "boolean" },
  json: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** Options may stand before the command, so its name is the first word that is none. */
function readArguments(args: readonly string[]) {
  const named = keptCommands.find(({ name }) => name === args.find((arg) => !arg.startsWith("-")));
  const { values: given, positionals } = parseArgs({
    args: [...args],
    options: { ...named?.options, ...general },
    allowPositionals: true,
  });
  const words = positionals.slice(1);
  const { least, most } = named ? operandCounts(named) : { least: 0, most: 0 };
  const command = words.length >= least && words.length <= most ? named : undefined;
  return { command, words, given };
}

function openCommandLine(terminal: Terminal, { url, token, owner }: Access): CommandLine {
  const memory = openMemory(url, owner, terminal.env);
  return { ...terminal, url, client: createKeptClient({ url, token }), memory };
}

/** @returns the exit code: 2 for an invalid command line */
async function main({ env, argv }: typeof process): Promise<number> {
  const { command, words, given } = readArguments(argv.slice(2));
  const { help, json, version, ...values } = given;
  if (help || version) console.log(version ? ownVersion() : usageOf(keptCommands));
  if (help || version) return 0;
  if (!command) console.error(usageOf(keptCommands));
  if (!command) return 2;
  const print = (text: string, value: unknown) => console.log(json ? JSON.stringify(value) : text);
  return runCommand(command, { env, commands: keptCommands, print }, words, values);
}

async function runCommand(
  command: Command,
  terminal: Terminal,
  words: readonly string[],
  values: Given,
): Promise<number> {
  const access = command.isLocal ? undefined : await openAccess(terminal.env);
  if (command.isLocal) await command.run(terminal, words, values);
  else if (access) await command.run(openCommandLine(terminal, access), words, values);
  else console.error("kept: Nobody is signed in. Sign in with kept login, or set KEPT_TOKEN to a token.");
  return command.isLocal || access ? 0 : 2;
}

const ownVersion = (): string => createRequire(import.meta.url)("@kept/client/package.json").version;

const adviceOn = (error: Error): string =>
  error instanceof KeptError && error.applied === "unknown" ? " It may have been done all the same." : "";

// A reader that stops early, such as `head`, is no failure.
process.stdout.on("error", () => process.exit(0));
process.exitCode = await main(process).catch((error: NodeJS.ErrnoException) => {
  console.error(`kept: ${error.message}${adviceOn(error)}`);
  return error.code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1;
});
