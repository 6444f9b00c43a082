import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productionLock, readManifest } from "./packages.ts";

// `npm run lab -- sbom`: production's packages as CycloneDX.
const parent = mkdtempSync(join(tmpdir(), "kept-sbom-"));
// npm takes the name of the folder for the name of the product.
const folder = join(parent, readManifest().name);
mkdirSync(folder);
const { devDependencies: _, ...manifest } = readManifest();
writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
writeFileSync(join(folder, "package-lock.json"), JSON.stringify(productionLock()));
const options = ["--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
const npm = Bun.spawn(["npm", "sbom", ...options], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
process.exitCode = await npm.exited;
rmSync(parent, { recursive: true });
