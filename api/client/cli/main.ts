#!/usr/bin/env node
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { createKeptClient, KeptError } from "../index.ts";
import { openAccess } from "./commands/login.ts";
import { keptCommands, operandCounts, usage } from "./commands.ts";
import { openMemory } from "./memory.ts";

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

/** @returns the exit code: 2 for an invalid command line */
async function main({ env, argv }: typeof process): Promise<number> {
  const { command, words, given } = readArguments(argv.slice(2));
  const { help, json, version, ...values } = given;
  if (help || version) {
    console.log(version ? ownVersion() : usage());
    return 0;
  }
  if (!command) {
    console.error(usage());
    return 2;
  }
  const print = (text: string, value: unknown) => console.log(json ? JSON.stringify(value) : text);
  if (command.isLocal) {
    await command.run({ env, print }, words, values);
    return 0;
  }
  const access = await openAccess(env);
  if (!access) {
    console.error("kept: Nobody is signed in. Sign in with kept login, or set KEPT_TOKEN to a token.");
    return 2;
  }
  const { url, token, owner } = access;
  const [client, memory] = [createKeptClient({ url, token }), openMemory(url, owner, env)];
  await command.run({ env, print, url, client, memory }, words, values);
  return 0;
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
