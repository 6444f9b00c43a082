import { parseArgs } from "node:util";
import { away } from "./away.ts";
import { back } from "./back.ts";
import { contended } from "./contended.ts";
import { type Figure, printHead, printRow } from "./figure.ts";
import { flood } from "./flood.ts";
import { frozen } from "./frozen.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { held } from "./held.ts";
import { overload } from "./overload/overload.ts";
import { pages } from "./pages.ts";
import { rolling } from "./rolling.ts";

const figures: Record<string, Figure> = {
  contended,
  held,
  frozen,
  back,
  away,
  overload,
  flood,
  rolling,
  pages,
  fuzz,
};

/** `npm run lab -- figures [-- --only held,frozen --short]`: the promises in numbers; exit code 1 when one is missed. */
async function run(): Promise<boolean> {
  const { values } = parseArgs({ options: { only: { type: "string" }, short: { type: "boolean" } } });
  const chosen = values.only?.split(",") ?? Object.keys(figures);
  const unknown = chosen.filter((name) => !(name in figures));
  if (unknown.length > 0) throw new Error(`--only takes of: ${Object.keys(figures).join(", ")}`);
  printHead();
  let missed = 0;
  for (const name of chosen) {
    const rows = await figures[name]?.({ outageSeconds: values.short ? 10 : 30 }).catch((error: Error) => [
      { figure: name, goal: "can be measured", measured: error.message, ok: false },
    ]);
    for (const row of rows ?? []) {
      printRow(row);
      if (!row.ok) missed += 1;
    }
  }
  console.log(missed === 0 ? "\nAll goals are met." : `\n${missed} missed.`);
  return missed === 0;
}

const met = await run().catch((error: Error) => console.error(error.message));
process.exit(met ? 0 : 1);
