import { Type } from "typebox";
import Format from "typebox/format";

/**
 * The progress of a client's copy, which has every change before this place. Places are ordered by the number of
 * the transaction, then by the source's number (see shared/db/reads/change-sources.ts) and by ids.
 */
export type ChangePlace = Readonly<{ xid: bigint; source: number; group: number; id: number }>;

export type ChangeCursor = Readonly<{
  /** The numbering of transactions that it belongs to. */
  generation: string;
  /** The beginning of the copy; older rows are shown once, by themselves. */
  since: bigint;
  place: ChangePlace;
}>;

const shape = /^([\da-f]{1,16})\.(\d{1,20})\.(\d{1,20})\.(\d)\.(\d{1,16})\.(\d{1,16})$/;
const maxXid = 2n ** 64n - 1n;

export const changeCursor = ({ generation, since, place }: ChangeCursor): string =>
  [generation, since, place.xid, place.source, place.group, place.id].join(".");

/** @returns undefined when the text is not a cursor */
export function parseChangeCursor(text: string): ChangeCursor | undefined {
  const [, generation, since, xid, source, group, id] = shape.exec(text) ?? [];
  if (generation === undefined || since === undefined || xid === undefined) return undefined;
  const place = { xid: BigInt(xid), source: Number(source), group: Number(group), id: Number(id) };
  const fits = BigInt(since) <= maxXid && place.xid <= maxXid;
  const areIds = Number.isSafeInteger(place.group) && Number.isSafeInteger(place.id);
  return fits && areIds ? { generation, since: BigInt(since), place } : undefined;
}

const isChangeCursor = (text: string): boolean => parseChangeCursor(text) !== undefined;
Format.Set("change-cursor", isChangeCursor);

const beginAnew = "leave it out to start over";

/** The refusal of an outdated cursor. */
export const cursorIsOutdated = `The cursor field has expired; ${beginAnew}.`;

export const ChangeCursorField = Type.String({
  format: "change-cursor",
  expects: `the next_cursor of an earlier answer; ${beginAnew}`,
});
