import { partsOf } from "../../../api/doors/pages/import/parts.ts";
import { planImport } from "../../../api/doors/pages/import/plan.ts";
import type { PageDoor } from "../page-door.ts";

/** A file in the format of Kept's export. */
export const exportFile = (lists: object): string =>
  JSON.stringify({ format: "kept-export", version: 1, ...lists });

/** Stages a file for somebody who has none of it yet. @returns the input of `import.apply` */
export async function stageFile(page: PageDoor, userId: string, text: string) {
  const today = { date: new Date().toISOString().slice(0, 10), timeZone: "UTC" };
  const nothingIsHere = async (things: readonly unknown[]) => things.map(() => undefined);
  const { things } = await planImport(nothingIsHere, [{ name: "kept.json", text }], { today });
  const [import_id, parts] = [crypto.randomUUID(), [...partsOf(things)]];
  for (const [part, one] of parts.entries())
    while ((await page.send(userId, "import.stage", { import_id, part, ...one })) !== null);
  return { import_id, parts: parts.length };
}
