import { localCommand } from "../command-line.ts";
import { completionScripts } from "../completion-scripts.ts";

export const completionsCommand = localCommand({
  name: "completions",
  operands: "bash|zsh|fish",
  summary: "prints a script that completes commands and options in this shell",
  options: {},
  async run({ commands, print }, [shell = ""]) {
    const script = completionScripts[shell]?.(commands);
    if (script === undefined) throw new Error(`“${shell}” is no shell of bash, zsh and fish.`);
    print(script, script);
  },
});
