import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The peers and the packages that their documents tell to install; none is a dependency of Kept. */
export const packages = {
  postgraphile: "5.1.5",
  "parse-server": "9.10.0",
  "@modelcontextprotocol/server": "2.4.0",
  "@modelcontextprotocol/node": "2.1.2",
  express: "5.3.0",
  jose: "6.2.17",
  node: "24.9.0",
  pg: "8.23.1",
  zod: "4.6.7",
} as const;

export type Installed = Readonly<{ folder: string; node: string; remove(): void }>;

/** Installs the packages into a temporary folder, beside copies of the servers that import them. */
export async function installPeers(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), "kept-peers-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove);
  cpSync(join(import.meta.dir, "servers"), folder, { recursive: true });
  await Bun.write(join(folder, "package.json"), '{ "private": true }');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const npm = Bun.spawn(["npm", "install", "--save-exact", "--no-audit", "--no-fund", ...wanted], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await npm.exited) !== 0) throw new Error("The packages of the peers cannot be installed.");
  return { folder, node: join(folder, "node_modules/.bin/node"), remove };
}
