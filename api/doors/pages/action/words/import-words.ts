import { kindOfTable, parseRowName } from "../../../../../shared/domain/action/images.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { countInWords } from "../../kit/dates.ts";
import type { LoggedRow } from "./logged-row.ts";
import { listed, type Word } from "./words.ts";

const order: readonly ResourceKind[] = ["habit", "todo", "category"];

/** An import makes so much that its row can seldom name all of it, but it knows how many there were. */
export function sayImport({ after }: Pick<LoggedRow, "after">): readonly Word[] {
  const { images, cut } = readImages(after);
  const names = new Set([...Object.keys(images), ...(cut?.others ?? [])]);
  const kinds = [...names].map((name) => kindOfTable(parseRowName(name).table));
  const counts = order.flatMap((kind): Word[][] => {
    const count = kinds.filter((one) => one === kind).length;
    return count === 0
      ? []
      : [[kind === "category" && count > 1 ? `${count} categories` : countInWords(count, kind)]];
  });
  return counts.length === 0 ? ["Imported a file"] : ["Imported ", ...listed(counts), " from a file"];
}
