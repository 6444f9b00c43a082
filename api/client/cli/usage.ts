import type { Command } from "./command-line.ts";

const nameOf = ({ name, operands }: Command): string => `kept ${name} ${operands}`.trimEnd();

const optionsOf = ({ options }: Command): readonly (readonly [string, string])[] =>
  Object.entries(options).map(([name, { value, summary }]) => [
    `--${name}${value ? ` ${value}` : ""}`,
    summary,
  ]);

const column = 32;

export const usageOf = (commands: readonly Command[]): string =>
  [
    "Habits and todos of Kept.",
    "",
    ...commands.flatMap((command) => [
      line(`  ${nameOf(command)}`, command.summary),
      ...optionsOf(command).map(([option, summary]) => line(`      ${option}`, summary)),
    ]),
    "",
    "--json prints answers as JSON, --version the version. WHAT is a number such as t7 or h3, or words of a name.",
    "Sign in with kept login, or set KEPT_TOKEN to a token of yours. KEPT_URL is the address of Kept, if not that of",
    "the sign-in or http://localhost:3000.",
  ].join("\n");

const line = (left: string, right: string): string =>
  left.length < column - 1 ? `${left.padEnd(column)}${right}` : `${left}\n${" ".repeat(column)}${right}`;

/** The table of docs/client.md. */
export const commandTable = (commands: readonly Command[]): string =>
  ["| command | effect |", "|---|---|", ...commands.map(rowOf)].join("\n");

function rowOf(command: Command): string {
  const options = optionsOf(command).map(([option, summary]) => `\`${option}\`: ${summary}`);
  const cells = [`\`${nameOf(command)}\``, [command.summary, ...options].join("; ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
