import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Whether nobody but us, root and the owner of this program can have put `path` there or can change it. What lies
 * beside the data folder is run without a question, so a stranger's must not be: in a
 * place for everybody, any user may make a folder.
 */
export function isOurs(path: string): boolean {
  // Both ways there: a link that is ours may lead through a stranger's folders.
  return [path, realpathSync(path)].every((way) => foldersTo(way).every((folder) => isTrusted(folder, way)));
}

function foldersTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...foldersTo(parent)];
}

function isTrusted(path: string, last: string): boolean {
  const program = statSync(import.meta.dir);
  const { uid, gid, mode } = lstatSync(path);
  if (![0, process.getuid?.(), program.uid].includes(uid)) return false;
  const isLink = (mode & 0o170_000) === 0o120_000;
  const othersWrite = (mode & 0o002) !== 0;
  const groupWrites = (mode & 0o020) !== 0 && ![0, process.getgid?.(), program.gid].includes(gid);
  // In a sticky folder such as /tmp nobody can replace what is another's; its owner was looked at.
  const isSticky = path !== last && (mode & 0o1000) !== 0;
  return isLink || isSticky || !(othersWrite || groupWrites);
}
