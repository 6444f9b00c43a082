import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * True if only this user, root and the owner of this program can have created `path` or can change it. Programs
 * beside the data folder run unasked, and any user could put one into a folder that is open to all.
 */
export function hasTrustedOwners(path: string): boolean {
  // Both paths are checked, because a link of this user may lead through folders of others.
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
  // In a sticky folder such as /tmp nobody can replace files of others, and its own owner was checked above.
  const isSticky = path !== last && (mode & 0o1000) !== 0;
  return isLink || isSticky || !(othersWrite || groupWrites);
}
