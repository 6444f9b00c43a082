import { type Command, choicesIn, localCommand } from "../command-line.ts";

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

const flagsOf = ({ options }: Command): readonly string[] => Object.keys(options).map((name) => `--${name}`);

/** The words that may follow a command: its operand's choices and its options. */
const wordsOf = (command: Command): string => [...choicesIn(command.operands), ...flagsOf(command)].join(" ");

/** A case for each option with choices, then one for each command; `reply` offers words in a shell's own way. */
function casesOf(commands: readonly Command[], reply: (words: string) => string): string {
  const values = commands.flatMap(({ name, options }) =>
    Object.entries(options)
      .filter(([, { type }]) => type === "string")
      .map(
        ([option, { value = "" }]) => `    "${name} --${option}") ${reply(choicesIn(value).join(" "))} ;;`,
      ),
  );
  const others = commands.map((command) => `    "${command.name} "*) ${reply(wordsOf(command))} ;;`);
  return [...values, ...others].join("\n");
}

const namesOf = (commands: readonly Command[]): string => commands.map(({ name }) => name).join(" ");

const bash = (commands: readonly Command[]): string => `_kept() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${namesOf(commands)}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${casesOf(commands, (words) => `COMPREPLY=($(compgen -W "${words}" -- "$word"))`)}
  esac
}
complete -F _kept kept`;

const zsh = (commands: readonly Command[]): string => `#compdef kept
_kept() {
  if (( CURRENT == 2 )); then
    compadd -- ${namesOf(commands)}
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${casesOf(commands, (words) => `compadd -- ${words}`)}
  esac
}
compdef _kept kept`;

const fish = (commands: readonly Command[]): string =>
  ["complete -c kept -f", ...commands.flatMap(fishLines)].join("\n");

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
export const completionScripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash,
  zsh,
  fish,
};
