import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { temporaryFolder } from "../../support/folder.ts";
import { productionLock, readManifest, root } from "../supply-chain/packages.ts";
import { buildImage, canBuild } from "./build-image.ts";
import { packForHosts, registryName } from "./hosts.ts";
import { demandTagOf, releaseNotes } from "./notes.ts";

/**
 * Packs the service as a package that npm installs with exactly the versions of package-lock.json.
 * @returns the path of the archive
 */
export async function pack(into: string): Promise<string> {
  const { devDependencies: _, scripts, ...manifest } = readManifest();
  const staged = temporaryFolder("pack");
  await $`npm pack --silent --pack-destination ${staged}`.cwd(root).quiet();
  await $`tar -xzf ${join(staged, `kept-${manifest.version}.tgz`)}`.cwd(staged);
  const folder = join(staged, "package");
  const forUse = Object.fromEntries(Object.entries(scripts).filter(([, runs]) => !runs.includes("test/")));
  const published = { ...manifest, mcpName: registryName, scripts: forUse };
  await Bun.write(join(folder, "package.json"), JSON.stringify(published, null, 2));
  await Bun.write(join(folder, "npm-shrinkwrap.json"), JSON.stringify(productionLock(), null, 2));
  await mkdir(into, { recursive: true });
  await $`npm pack --silent --pack-destination ${into}`.cwd(folder).quiet();
  await rm(staged, { recursive: true });
  return join(into, `kept-${manifest.version}.tgz`);
}

/** `npm run lab -- release [TAG]`: everything that a release publishes, in `release/`. */
if (import.meta.main) {
  const { version } = readManifest();
  const [tag = `v${version}`] = process.argv.slice(2);
  demandTagOf(version, tag);
  const folder = join(root, "release");
  const notes = releaseNotes(await Bun.file(join(root, "CHANGELOG.md")).text(), version);
  await Bun.write(join(folder, "notes.md"), notes);
  console.log(await pack(folder));
  await packForHosts(folder);
  if (canBuild) console.log(await buildImage(folder));
  await $`${process.execPath} ${join(root, "test/labs/supply-chain/sbom.ts")} > ${join(folder, `kept-${version}.cdx.json`)}`;
}
