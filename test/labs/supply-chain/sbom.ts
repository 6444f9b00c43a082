import { join } from "node:path";
import { inFolder } from "../../support/folder.ts";
import { productionLock, readManifest } from "./packages.ts";

// `npm run lab -- sbom`: production's packages as CycloneDX.
process.exitCode = await inFolder("sbom", async (parent) => {
  const { devDependencies: _, ...manifest } = readManifest();
  // npm takes the name of the folder for the name of the product.
  const cwd = join(parent, manifest.name);
  await Bun.write(join(cwd, "package.json"), JSON.stringify(manifest));
  await Bun.write(join(cwd, "package-lock.json"), JSON.stringify(productionLock()));
  const options = ["--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  return Bun.spawn(["npm", "sbom", ...options], { cwd, stdio: ["ignore", "inherit", "inherit"] }).exited;
});
