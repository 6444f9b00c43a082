import type { Upload } from "../../../web/form/upload.ts";
import type { TextFile } from "./readers/found.ts";
import { isZip, unzip } from "./readers/unzip.ts";

/** Archives count by their unpacked size. */
const mostTextBytes = 8 * 1024 * 1024;

/** @returns the files as text, those in archives too, or a sentence with their problem */
export function textsOf(files: Upload["files"]): readonly TextFile[] | string {
  const texts: TextFile[] = [];
  let left = mostTextBytes;
  for (const { name, bytes } of files) {
    const unpacked = isZip(bytes) ? unzip(bytes, left) : [{ name, bytes }];
    if (typeof unpacked === "string") return unpacked;
    for (const one of unpacked) {
      left -= one.bytes.length;
      texts.push({ name: one.name, text: new TextDecoder().decode(one.bytes) });
    }
  }
  if (left < 0) return "These files are too large to be read.";
  return texts.length === 0 ? "Choose a file first." : texts;
}
