import { join } from "node:path";
import { root } from "./compose-file.ts";

type Instruction = Readonly<{ name: string; words: string }>;

const text = await Bun.file(join(root, "Dockerfile")).text();
const ignored = (await Bun.file(join(root, ".dockerignore")).text()).split("\n");

const instructions: readonly Instruction[] = text
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => ({ name: line.slice(0, line.indexOf(" ")), words: line.slice(line.indexOf(" ") + 1) }));

/** The work of a builder for an instruction, as shell commands with the project in /context. */
function stepOf({ name, words }: Instruction): string {
  if (name === "WORKDIR") return `mkdir -p ${words}; cd ${words}`;
  if (name === "RUN") return words;
  if (name === "ENV")
    return words
      .split(" ")
      .map((pair) => `export ${pair}`)
      .join("\n");
  if (name !== "COPY") return "";
  const paths = words.split(" ");
  const target = paths.pop() ?? "";
  for (const path of paths)
    if (!ignored.includes(`!${path}`)) throw new Error(`.dockerignore keeps ${path} from the image.`);
  const copies = paths.map((path) => `cp -a /context/${path}${path === target ? "/." : ""} ${target}`);
  return [`mkdir -p ${target}`, ...copies].join("\n");
}

/** The shell commands that build the image, in their order. */
export const buildSteps: readonly string[] = instructions.map(stepOf).filter(Boolean);

const wordsOf = (wanted: string) => instructions.findLast(({ name }) => name === wanted)?.words ?? "";
export const [user = "", group = ""] = wordsOf("USER").split(":");
/** The names of the variables that the image gives to its containers. */
export const imageVariables = [...wordsOf("ENV").matchAll(/(\w+)=/g)].map(([, name = ""]) => name);
