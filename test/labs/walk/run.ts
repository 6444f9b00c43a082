import { startServices } from "../../support/servers/services.ts";
import { budgets, linesOf, measureWalks, type Walk } from "./walks.ts";

/** `npm run walk`: the files and lines that each request runs, in the order of the tree. */
const services = await startServices();
const walks = await measureWalks(services).finally(services.stop);
for (const walk of walks) console.log(describe(walk));

function describe({ name, files }: Walk): string {
  const budget = budgets[name];
  const rooms = Map.groupBy(files, ({ path }) => /^\w+(\/[\w-]+(?=\/))?/.exec(path)?.[0]);
  const sums = [...rooms].map(([room, own]) => `${room} ${own.length} / ${linesOf({ files: own })}`);
  return [
    `${name}: ${files.length} files, ${linesOf({ files })} lines (budget ${budget.files}, ${budget.lines})`,
    `   ${sums.join(", ")}`,
    ...files.map(({ path, lines }) => `${String(lines.length).padStart(5)}  ${path}  ${lines.join(" ")}`),
    "",
  ].join("\n");
}
