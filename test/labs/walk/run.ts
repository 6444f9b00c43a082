import { startServices } from "../../support/servers/services.ts";
import { budgets, linesOf, measureWalks, type Walk } from "./walks.ts";

/** `npm run walk`: the files and lines that each request runs, in the order of the tree. */
const services = await startServices();
const walks = await measureWalks(services).finally(services.stop);
for (const walk of walks) console.log(describe(walk));

function describe({ name, files }: Walk): string {
  const budget = budgets[name];
  const rows = files.map(
    ({ path, lines }) => `${String(lines.length).padStart(5)}  ${path}  ${ranges(lines)}`,
  );
  const rooms = Map.groupBy(files, ({ path }) =>
    path
      .split("/")
      .slice(0, 2)
      .join("/")
      .replace(/\/[^/]+\.ts$/, ""),
  );
  const sums = [...rooms].map(([room, own]) => `${room} ${own.length} / ${linesOf({ files: own })}`);
  return [
    `${name}: ${files.length} files, ${linesOf({ files })} lines (budget ${budget.files}, ${budget.lines})`,
    `   ${sums.join(", ")}`,
    ...rows,
    "",
  ].join("\n");
}

/** Line numbers as ranges, such as `3, 7-9`. */
function ranges(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(", ");
}
