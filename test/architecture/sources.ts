import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

export const root = join(import.meta.dir, "../..");

/** Paths of files that match, relative to the root. */
export const list = (pattern: string): string[] =>
  [...new Glob(pattern).scanSync({ cwd: root, dot: true })].filter(
    (path) => !path.startsWith("node_modules") && !path.startsWith("api/client/dist/"),
  );

export const textOf = (path: string): Promise<string> => Bun.file(join(root, path)).text();

export const sources = ["api", "workers", "shared"].flatMap((folder) => list(`${folder}/**/*.ts`)).sort();

export const within =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));

/** Imports of project files, as paths relative to the root. */
export async function importsOf(path: string): Promise<string[]> {
  const specifiers = [...(await textOf(path)).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );
  return specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));
}
