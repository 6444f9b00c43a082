import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Cut } from "./cut-arguments.ts";
import type { Image } from "./image-fields.ts";
import type { Images } from "./images.ts";

/** How many bytes of images (UTF-8) a row of the action log stores, of `before` and of `after` each. */
const keptOfImages = 4_096;
/** The longest text that a cut image still has, in UTF-16 units. */
const longestText = 200;

/**
 * Images as they fit into a row: the JSON text itself, else that of an array of shortened images and the `Cut`. Texts
 * are shortened first, then rows are left out from the end.
 */
export function cutImages(json: string): string {
  const bytes = Buffer.byteLength(json);
  if (bytes <= keptOfImages) return json;
  const cut: Cut = { bytes, sha256: createHash("sha256").update(json).digest("hex") };
  const rows = Object.entries<Image>(JSON.parse(json)).map(([name, image]) => [name, shortened(image)]);
  for (let count = rows.length; count > 0; count = Math.floor(count / 2)) {
    const text = JSON.stringify([Object.fromEntries(rows.slice(0, count)), cut]);
    if (Buffer.byteLength(text) <= keptOfImages) return text;
  }
  return JSON.stringify([{}, cut]);
}

const shortened = (image: Image): Image =>
  Object.fromEntries(
    Object.entries(image).flatMap(([field, value]) => {
      if (typeof value !== "string" || value.length <= longestText)
        return JSON.stringify(value).length <= longestText ? [[field, value]] : [];
      return [[field, `${value.slice(0, longestText).toWellFormed()}…`]];
    }),
  );

/** Reads what a row has of its images. */
export function readImages(stored: string | null | undefined): Readonly<{ images: Images; cut?: Cut }> {
  if (stored == null) return { images: {} };
  const value: Images | [Images, Cut] = JSON.parse(stored);
  return Array.isArray(value) ? { images: value[0], cut: value[1] } : { images: value as Images };
}
