import { join } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "../..");
const fence = "```";

/**
 * A file as a document shows it, so that tests run the documented text. Addresses and the like are replaced by this
 * machine's.
 * @throws when the page lacks the file, or the file lacks a text to replace
 */
export async function documented(
  file: string,
  replacements: Readonly<Record<string, string>> = {},
  page = "docs/postgres.md",
): Promise<string> {
  const text = await Bun.file(join(root, page)).text();
  const [, shown] =
    new RegExp(`^${fence}\\w+ ${RegExp.escape(file)}\\n(.*?)^${fence}$`, "ms").exec(text) ?? [];
  if (shown === undefined) throw new Error(`${page} shows no file ${file}.`);
  return Object.entries(replacements).reduce((result, [documented, here]) => {
    if (!result.includes(documented)) throw new Error(`${file} has no ${documented}.`);
    return result.replaceAll(documented, here);
  }, shown);
}

export type DocumentedBlock = Readonly<{
  page: string;
  /** The number of its first line in the page. */
  line: number;
  /** The text that a reader types. */
  text: string;
  /** The files that the line above it names: `<!-- run by test/x.test.ts -->`. */
  runBy: readonly string[];
  /** The paragraphs above and below it. */
  beside: string;
}>;

/** The pages whose commands tests must run. */
export const commandPages: readonly string[] = [
  "README.md",
  ...[...new Glob("docs/**/*.md").scanSync(root)].toSorted(),
];

/** All blocks of shell commands of a page, in their order. */
export async function commandBlocks(page: string): Promise<readonly DocumentedBlock[]> {
  const text = await Bun.file(join(root, page)).text();
  const blocks = text.matchAll(new RegExp(`^( *)${fence}sh(?: [\\w-]+\\.sh)?\\n(.*?)^\\1${fence}$`, "gms"));
  return [...blocks].map((block) => {
    const [whole, indent = "", typed = ""] = block;
    const [above, below] = [text.slice(0, block.index), text.slice(block.index + whole.length)];
    const named = /<!-- run by ([^>]+) -->\n$/.exec(above)?.[1] ?? "";
    return {
      page,
      line: above.split("\n").length,
      text: typed.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      runBy: named.split(/, */).filter(Boolean),
      beside: `${above.trimEnd().split("\n\n").at(-1)} ${below.trimStart().split("\n\n")[0]}`,
    };
  });
}

/** The blocks of a page that a test says to run. */
export const blocksRunBy = async (page: string, file: string): Promise<readonly DocumentedBlock[]> =>
  (await commandBlocks(page)).filter(({ runBy }) => runBy.includes(file));

/** The commands of a block, one for each line, without those that are marked as not run. */
export const commandLines = ({ text }: DocumentedBlock): readonly string[] =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => !/^\s*(#|$)|# not run here: \S/.test(line))
    .map((line) => line.replace(/\s+# .*$/, "").trim());
