import { rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/folder.ts";
import type { Services } from "../../support/servers/services.ts";

/**
 * Budgets of one request: files and lines of api, shared and workers that run for it, with six lines that weigh the load
 * while a door is late. Lower them when it gets shorter.
 */
export const budgets = {
  "POST /api/v1/todos": { files: 48, lines: 1123 },
  "GET /api/v1/todos": { files: 24, lines: 360 },
  "MCP create-todo": { files: 57, lines: 1300 },
  "MCP get-pending-todos": { files: 53, lines: 1125 },
} as const;

export type WalkName = keyof typeof budgets;

/** One source file and the numbers of its lines that run for each request. */
export type WalkedFile = Readonly<{ path: string; lines: readonly number[] }>;

/** All files that one request runs, ordered by path. */
export type Walk = Readonly<{ name: WalkName; files: readonly WalkedFile[] }>;

const names = Object.keys(budgets) as WalkName[];
/** The number is far above the first runs, which open connections and fill caches. */
const times = 60;

/** Source file → line → how often it ran. */
type Coverage = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * Drives each request through a whole service in its own process, and compares the line coverage with that of a
 * process with one read. So lines that run at the start, by a timer or only for a first request are left out; that one
 * alone runs some of them for each table.
 */
export async function measureWalks(services: Services): Promise<Walk[]> {
  const idle = await coverageOf(services, "first read");
  const walks: Walk[] = [];
  // Side by side they would make each other late, and a late door runs the lines that shed load.
  for (const name of names) walks.push({ name, files: walkedFiles(idle, await coverageOf(services, name)) });
  return walks;
}

export const linesOf = ({ files }: Pick<Walk, "files">): number =>
  files.reduce((sum, { lines }) => sum + lines.length, 0);

function walkedFiles(idle: Coverage, driven: Coverage): WalkedFile[] {
  const files = [...driven].map(([path, counts]) => ({
    path,
    lines: [...counts]
      .filter(([line, count]) => count - (idle.get(path)?.get(line) ?? 0) >= times / 2)
      .map(([line]) => line),
  }));
  return files
    .filter(({ path, lines }) => /^(api|shared|workers)\//.test(path) && lines.length > 0)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function coverageOf(services: Services, name: WalkName | "first read"): Promise<Coverage> {
  const folder = temporaryFolder("walk");
  const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
  const env = {
    ...Bun.env,
    ...{ TEST_DATABASE_URL: services.databaseUrl, TEST_REDIS_URL: services.redisUrl },
    ...{ WALK: name, WALK_TIMES: name === "first read" ? "1" : String(times) },
  };
  const driver = Bun.spawn(
    [process.execPath, "test", "--timeout=60000", ...coverage, "./test/labs/walk/requests.ts"],
    { cwd: join(import.meta.dir, "../../.."), env, stdout: "ignore", stderr: "pipe" },
  );
  const report = await driver.stderr.text();
  if ((await driver.exited) !== 0) throw new Error(`${name} was not answered:\n${report}`);
  const walked = parseLcov(await Bun.file(join(folder, "lcov.info")).text());
  await rm(folder, { recursive: true });
  return walked;
}

function parseLcov(text: string): Coverage {
  const records = text.split("end_of_record").map((record): [string, Map<number, number>] => {
    const [, path = ""] = /^SF:(.*)$/m.exec(record) ?? [];
    const counts = record.matchAll(/^DA:(\d+),(\d+)$/gm);
    return [path, new Map(counts.map(([, line, count]) => [Number(line), Number(count)]))];
  });
  return new Map(records);
}
