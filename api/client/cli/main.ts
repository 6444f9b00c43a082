#!/usr/bin/env node
import { parseArgs } from "node:util";
import { createKeptClient, KeptError } from "../index.ts";
import type { CommandLine } from "./command-line.ts";
import { add } from "./commands/add.ts";
import { completeThing } from "./commands/complete.ts";
import { exportEverything } from "./commands/export.ts";
import { printChanges } from "./commands/log.ts";
import { printToday } from "./commands/today.ts";
import { undoLastAct } from "./commands/undo.ts";
import { openMemory } from "./memory.ts";

const usage = `Habits and todos of Kept.

  kept add WORDS       a todo or a habit: kept add "Pay rent every month on the 1st at 9 #Home"
  kept today           habits that are due, and todos that are due or overdue
  kept done WHAT       completes a todo (t7), a habit (h3), or the one that has these words in its name
  kept undo            takes back what this command line did last
  kept log [--follow]  what was changed since the last time; --follow goes on until Ctrl-C
  kept export          everything, each thing as JSON on a line of its own

--json prints answers as JSON. KEPT_TOKEN is a token of yours, and KEPT_URL where Kept is, if not at
http://localhost:3000.`;

const options = {
  follow: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

type Arguments = ReturnType<typeof readArguments>;
type Run = (commandLine: CommandLine) => Promise<void>;

const readArguments = () => parseArgs({ options, allowPositionals: true });

/** @returns undefined for an unknown command, or one without its words */
function commandOf({ values: { follow }, positionals }: Arguments): Run | undefined {
  const [name, ...rest] = positionals;
  const words = rest.join(" ");
  if (name === "add" && words !== "") return (commandLine) => add(commandLine, words);
  if (name === "done" && words !== "") return (commandLine) => completeThing(commandLine, words);
  if (words !== "") return undefined;
  if (name === "log") return (commandLine) => printChanges(commandLine, follow);
  return { today: printToday, undo: undoLastAct, export: exportEverything }[name ?? ""];
}

function openCommandLine(token: string, isJson: boolean): CommandLine {
  const url = (process.env.KEPT_URL || "http://localhost:3000").replace(/\/+$/, "");
  return {
    client: createKeptClient({ url, token }),
    url,
    memory: openMemory(url, token, process.env),
    print: (text, value) => console.log(isJson ? JSON.stringify(value) : text),
  };
}

/** @returns the exit code: 2 for an invalid command line */
async function main(): Promise<number> {
  const given = readArguments();
  const run = commandOf(given);
  const { KEPT_TOKEN: token } = process.env;
  if (given.values.help) console.log(usage);
  else if (!run) console.error(usage);
  else if (!token)
    console.error("kept: KEPT_TOKEN is not set; the account pages have a page on which tokens are made.");
  else await run(openCommandLine(token, given.values.json));
  return given.values.help || (run && token) ? 0 : 2;
}

const adviceOn = (error: Error): string =>
  error instanceof KeptError && error.applied === "unknown" ? " It may have been done all the same." : "";

// A reader that stops early, such as `head`, is no failure.
process.stdout.on("error", () => process.exit(0));
process.exitCode = await main().catch((error: NodeJS.ErrnoException) => {
  console.error(`kept: ${error.message}${adviceOn(error)}`);
  return error.code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1;
});
