import { expect, test } from "bun:test";
import { join } from "node:path";
import { folderOfFile } from "../../support/folder.ts";
import { dashboardExpressions, readDashboard } from "./documented-metrics.ts";

const promtool = Bun.which("promtool");
if (!promtool)
  console.warn("SKIPPED: tests of the alerts need promtool (Debian: apt-get install prometheus).");
const promtoolTest = test.skipIf(!promtool);
const monitoring = join(import.meta.dir, "../../../docs/monitoring");

async function run(...args: string[]): Promise<string> {
  const child = Bun.spawn(["promtool", ...args], { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, output + errors]).toEqual([0, expect.anything()]);
  return output + errors;
}

promtoolTest("the rules fire when they should, and only then", async () => {
  expect(await run("test", "rules", join(monitoring, "alerts.test.yaml"))).toContain("SUCCESS");
});

promtoolTest("Prometheus takes the configuration, with the rules in it", async () => {
  const output = await run("check", "config", "--syntax-only", join(monitoring, "prometheus.yaml"));
  expect(output).toContain("SUCCESS");
  expect(await run("check", "rules", join(monitoring, "alerts.yaml"))).toContain("SUCCESS");
});

promtoolTest("Prometheus understands each question of the dashboard", async () => {
  const rules = (await dashboardExpressions()).map((expr, index) => ({ record: `question_${index}`, expr }));
  const file = join(folderOfFile("dashboard"), "rules.yaml");
  await Bun.write(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(await run("check", "rules", file)).toContain(`${rules.length} rules found`);
});

test("every alert has a test, and the panels of the dashboard lie side by side", async () => {
  const [alerts, tests] = await Promise.all(
    ["alerts.yaml", "alerts.test.yaml"].map((name) => Bun.file(join(monitoring, name)).text()),
  );
  const names = [...(alerts ?? "").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !tests?.includes(`alertname="${name}"`))).toEqual([]);
  const { panels } = await readDashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
  );
  expect(new Set(taken).size).toBe(taken.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});
