import { type Command, localCommand } from "./command-line.ts";
import { exportCommand, logCommand, undoCommand } from "./commands/log.ts";
import { loginCommand, logoutCommand } from "./commands/login.ts";
import {
  addCommand,
  deleteCommand,
  doneCommand,
  editCommand,
  listCommand,
  searchCommand,
  snoozeCommand,
  todayCommand,
} from "./commands/things.ts";

const completionsCommand = localCommand({
  name: "completions",
  operands: "bash|zsh|fish",
  summary: "prints a script that completes commands and options in this shell",
  async run({ print }, [shell = ""]) {
    const script = completionScripts[shell]?.();
    if (script === undefined) throw new Error(`“${shell}” is no shell of bash, zsh and fish.`);
    print(script, script);
  },
});

/** All commands, in the order of usage and docs. */
export const keptCommands: readonly Command[] = [
  addCommand,
  todayCommand,
  listCommand,
  searchCommand,
  doneCommand,
  editCommand,
  snoozeCommand,
  deleteCommand,
  undoCommand,
  logCommand,
  exportCommand,
  loginCommand,
  logoutCommand,
  completionsCommand,
];

/** The number of words that a command takes. */
export function operandCounts({ operands }: Command): Readonly<{ least: number; most: number }> {
  const all = operands.split(" ").filter((operand) => operand !== "");
  const least = all.filter((operand) => !operand.startsWith("[")).length;
  return { least, most: least > 0 && !operands.includes("|") ? Number.POSITIVE_INFINITY : all.length };
}

/** The choices in a text such as `[a|b|c]`; none if it is any word. */
const choicesIn = (text: string): readonly string[] =>
  text.includes("|") ? text.replace(/[[\]]/g, "").split("|") : [];

const nameOf = ({ name, operands }: Command): string => `kept ${name} ${operands}`.trimEnd();

const optionsOf = ({ options }: Command): readonly (readonly [string, string])[] =>
  Object.entries(options).map(([name, { value, summary }]) => [
    `--${name}${value ? ` ${value}` : ""}`,
    summary,
  ]);

const column = 32;

export const usage = (): string =>
  [
    "Habits and todos of Kept.",
    "",
    ...keptCommands.flatMap((command) => [
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
export const commandTable = (): string =>
  ["| command | effect |", "|---|---|", ...keptCommands.map(rowOf)].join("\n");

function rowOf(command: Command): string {
  const options = optionsOf(command).map(([option, summary]) => `\`${option}\`: ${summary}`);
  const cells = [`\`${nameOf(command)}\``, [command.summary, ...options].join("; ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

const wordsOf = ({ operands, options }: Command): string =>
  [...choicesIn(operands), ...Object.keys(options).map((name) => `--${name}`)].join(" ");

/** A case for each option with choices, then one for each command; `reply` offers words in a shell's own way. */
function casesOf(reply: (words: string) => string): string {
  const values = keptCommands.flatMap(({ name, options }) =>
    Object.entries(options)
      .filter(([, { type }]) => type === "string")
      .map(
        ([option, { value = "" }]) => `    "${name} --${option}") ${reply(choicesIn(value).join(" "))} ;;`,
      ),
  );
  const others = keptCommands.map((command) => `    "${command.name} "*) ${reply(wordsOf(command))} ;;`);
  return [...values, ...others].join("\n");
}

const names = (): string => keptCommands.map(({ name }) => name).join(" ");

const bash = (): string => `_kept() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names()}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${casesOf((words) => `COMPREPLY=($(compgen -W "${words}" -- "$word"))`)}
  esac
}
complete -F _kept kept`;

const zsh = (): string => `#compdef kept
_kept() {
  if (( CURRENT == 2 )); then
    compadd -- ${names()}
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${casesOf((words) => `compadd -- ${words}`)}
  esac
}
compdef _kept kept`;

const fish = (): string => ["complete -c kept -f", ...keptCommands.flatMap(fishLines)].join("\n");

function fishLines(command: Command): readonly string[] {
  const { name, options, operands, summary } = command;
  const within = `complete -c kept -n "__fish_seen_subcommand_from ${name}"`;
  const choices = choicesIn(operands);
  return [
    `complete -c kept -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...(choices.length > 0 ? [`${within} -a "${choices.join(" ")}"`] : []),
    ...Object.entries(options).map(([option, { type, value = "", summary: about }]) => {
      const values = type === "string" ? ` -x -a "${choicesIn(value).join(" ")}"` : "";
      return `${within} -l ${option}${values} -d ${quoted(about)}`;
    }),
  ];
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;

/** The script of each shell, made from the declarations of the commands. */
export const completionScripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };
