import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";

/** Each file of PostgreSQL's write-ahead log has this size. */
export const segmentBytes = 16 * 1024 * 1024;
const segmentsPerLog = 256;

/** A name is the timeline (8 hex digits) and the position in the log (16). */
export const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name);

const numberOf = (segment: string): number =>
  Number.parseInt(segment.slice(8, 16), 16) * segmentsPerLog + Number.parseInt(segment.slice(16), 16);

/** The end of a segment in bytes from the beginning of the log. */
export const endOf = (segment: string): number => (numberOf(segment) + 1) * segmentBytes;

function nextOf(segment: string): string {
  const number = numberOf(segment) + 1;
  const digits = (part: number) => part.toString(16).toUpperCase().padStart(8, "0");
  return segment.slice(0, 8) + digits(Math.floor(number / segmentsPerLog)) + digits(number % segmentsPerLog);
}

/** The names that follow each other without a gap, from `first` on. */
export function runFrom(first: string, names: ReadonlySet<string>): string[] {
  const run: string[] = [];
  for (let segment = first; names.has(segment); segment = nextOf(segment)) run.push(segment);
  return run;
}

/**
 * True if a file of pg_wal has the log that its name says. PostgreSQL keeps old segments under future names; their
 * first page still has its old position (XLogPageHeaderData).
 */
export function isWritten(path: string): boolean {
  const header = new DataView(new ArrayBuffer(16));
  const file = openSync(path, "r");
  const bytes = readSync(file, header, 0, 16, 0);
  closeSync(file);
  const position = BigInt(numberOf(basename(path))) * BigInt(segmentBytes);
  return bytes === 16 && header.getUint16(0, true) !== 0 && header.getBigUint64(8, true) === position;
}
