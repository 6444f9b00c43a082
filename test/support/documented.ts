import { join } from "node:path";

const page = join(import.meta.dir, "../../docs/postgres.md");

/**
 * A file as docs/postgres.md shows it, so that what is tested is what is documented. Addresses and the like are
 * replaced by those of this machine.
 * @throws when the page has no such file, or the file has not what is to be replaced
 */
export async function documented(
  file: string,
  replacements: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = await Bun.file(page).text();
  const fence = "```";
  const [, shown] =
    new RegExp(`^${fence}\\w+ ${RegExp.escape(file)}\\n(.*?)^${fence}$`, "ms").exec(text) ?? [];
  if (shown === undefined) throw new Error(`docs/postgres.md shows no file ${file}.`);
  return Object.entries(replacements).reduce((result, [documented, here]) => {
    if (!result.includes(documented)) throw new Error(`${file} has no ${documented}.`);
    return result.replaceAll(documented, here);
  }, shown);
}
