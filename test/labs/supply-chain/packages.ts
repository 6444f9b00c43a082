import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../../..");

/** A package that production installs, as package-lock.json has it. */
export type Package = Readonly<{
  name: string;
  version: string;
  license: string;
  folder: string;
  /** Built for one platform, so other machines do not install it. */
  isForOnePlatform: boolean;
}>;

type Versions = Readonly<Record<string, string>>;

/** The fields of package.json that are read. */
type Manifest = Readonly<{
  name: string;
  version: string;
  scripts: Versions;
  dependencies: Versions;
  devDependencies: Versions;
}>;

type Locked = Readonly<{
  version?: string;
  license?: string;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  devDependencies?: Versions;
}>;

/** package-lock.json: packages by their folder, the project itself without one. */
type Lock = Readonly<{ packages: Readonly<Record<string, Locked>> }>;

/** Every package that `npm ci --omit=dev` may install, whatever machine this is. */
export function productionPackages(): Package[] {
  return Object.entries(readLock().packages)
    .filter(([folder, { dev }]) => folder.includes("node_modules/") && !dev)
    .map(([folder, { version = "", license = "none", os, cpu }]) => ({
      name: folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length),
      version,
      license,
      folder,
      isForOnePlatform: os !== undefined || cpu !== undefined,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** package-lock.json without the packages that only tests need. npm would omit shared ones too, for example jose. */
export function productionLock(): Lock {
  const lock = readLock();
  const packages = Object.entries(lock.packages).filter(([place, { dev }]) => place && !dev);
  const { devDependencies: _, ...project } = lock.packages[""] ?? {};
  return { ...lock, packages: { "": project, ...Object.fromEntries(packages) } };
}

const licenseFile = /^(licen[cs]e|copying|notice|copyright)/i;

/** The licences and notices that a package ships; none for one of another platform, which is not installed here. */
export function licenseTexts({
  folder,
  isForOnePlatform,
}: Pick<Package, "folder" | "isForOnePlatform">): string[] {
  const installed = join(root, folder);
  if (isForOnePlatform || !existsSync(installed)) return [];
  const files = readdirSync(installed, { withFileTypes: true });
  return files
    .filter((file) => file.isFile() && licenseFile.test(file.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(join(installed, name), "utf8"));
}

const readText = (path: string): string => readFileSync(join(root, path), "utf8");

export const readManifest = (): Manifest => JSON.parse(readText("package.json"));
export const readLock = (): Lock => JSON.parse(readText("package-lock.json"));
