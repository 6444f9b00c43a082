import { copyFileSync, statSync, truncateSync } from "node:fs";

/** A log and the one before it take at most twice this (bytes), and what a server writes within a minute. */
const mostBytes = 10_000_000;
const everyMs = 60_000;

/** Bounds a log as long as its server runs. @returns a function that ends that */
export function boundLog(file: string): () => void {
  turnOver(file);
  const timer = setInterval(turnOver, everyMs, file);
  return () => clearInterval(timer);
}

/**
 * Moves the text of a large log to `file`.1 and empties the log, because its server holds it open and appends to it. Lines
 * written meanwhile are lost.
 */
export function turnOver(file: string, most = mostBytes): void {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size <= most) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
