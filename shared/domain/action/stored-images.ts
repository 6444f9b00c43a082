import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Cut } from "./cut-arguments.ts";
import type { Image } from "./image-fields.ts";
import type { Images } from "./images.ts";
import { lengthWithTexts, parseWithTexts } from "./shared-texts.ts";

/** Bytes of images (UTF-8) stored in a row of the action log, for `before` and `after` each. */
const keptOfImages = 4_096;
/** The longest text that a cut image still has, in UTF-16 units. */
const longestText = 200;

/** The things of omitted rows, such as `todos/5`, so that their traces can be deleted. */
type CutImages = Cut & Readonly<{ others?: readonly string[] }>;

/**
 * Images that fit into a row: the JSON text itself, else that of an array of shortened images and the `Cut`. Texts
 * are shortened first, then rows are dropped from the end.
 */
export function cutImages(images: Images, json: string): string {
  const bytes = Buffer.byteLength(json);
  if (bytes <= keptOfImages) return json;
  const cut: CutImages = { bytes, sha256: createHash("sha256").update(json).digest("hex") };
  const rows = Object.entries(images).map(([name, image]) => [name, shortened(image)] as const);
  for (let count = rows.length; count > 0; count = Math.floor(count / 2)) {
    const others = thingsOf(rows.slice(count).map(([name]) => name));
    const kept = Object.fromEntries(rows.slice(0, count));
    const text = JSON.stringify([kept, { ...cut, ...(others.length > 0 && { others }) }]);
    if (Buffer.byteLength(text) <= keptOfImages) return text;
  }
  return JSON.stringify([{}, { ...cut, others: thingsOf(Object.keys(images)) }]);
}

const thingsOf = (rowNames: readonly string[]): readonly string[] => [
  ...new Set(rowNames.map((name) => name.split("/").slice(0, 2).join("/"))),
];

const shortened = (image: Image): Image =>
  Object.fromEntries(
    Object.entries(image).flatMap(([field, value]) => {
      if (typeof value !== "string" || value.length <= longestText)
        return JSON.stringify(value ?? null).length <= longestText ? [[field, value]] : [];
      return [[field, `${value.slice(0, longestText).toWellFormed()}…`]];
    }),
  );

/** @returns the first rows whose images are no longer than that in all; at least one */
export function withinLength<
  Row extends Readonly<{ before?: string | null | undefined; after?: string | null | undefined }>,
>(rows: readonly Row[], most: number): readonly Row[] {
  let length = 0;
  const end = rows.findIndex(({ before, after }, index) => {
    length += lengthOfStored(before) + lengthOfStored(after);
    return index > 0 && length > most;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** @returns the greatest length of the images (UTF-16 units), also of a row with only a cut of them */
function lengthOfStored(stored: string | null | undefined): number {
  const { cut } = readImages(stored);
  return cut?.bytes ?? lengthWithTexts(stored ?? "");
}

/** Reads the images of a row, as far as it has them. */
export function readImages(stored: string | null | undefined): Readonly<{ images: Images; cut?: CutImages }> {
  if (stored == null) return { images: {} };
  const value = parseWithTexts(stored) as Images | [Images, CutImages];
  return Array.isArray(value) ? { images: value[0], cut: value[1] } : { images: value as Images };
}
