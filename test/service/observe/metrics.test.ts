import { expect, test } from "bun:test";
import { freePort, startStack, testEnvironment } from "../../harness.ts";
import { openGate } from "../../support/chaos/gate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { documentedMetrics, labelsIn, metricsIn, monitoringExpressions } from "./documented-metrics.ts";

const settings = await testEnvironment();
const gate = await openGate(settings.REDIS_URL ?? "");
const workerPort = freePort();
const {
  config,
  details: { owner_token: token = "" },
  ...stack
} = await startStack({
  env: {
    ...settings,
    ...{ AUTH_URL: "", DATA_DIR: temporaryFolder("metrics") },
    REDIS_URL: gate.url,
    // No standby runs here, so it is never used; the metrics are the same.
    READ_DATABASE_URL: settings.DATABASE_URL ?? "",
    WORKER_PORT: String(workerPort),
  },
});
const rest: typeof stack.rest = (method, path, call) => stack.rest(method, path, { token, ...call });

const ports = { "front door": config.port, worker: workerPort };
type Role = keyof typeof ports;
const roles = Object.keys(ports) as Role[];

async function scrape(role: Role): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports[role]}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** The value of one series, named as Prometheus writes it. */
async function seriesOf(role: Role, series: string): Promise<number | undefined> {
  const line = (await scrape(role)).split("\n").find((text) => text.startsWith(`${series} `));
  const value = line?.split(" ").at(-1);
  return value === undefined ? undefined : Number(value);
}

test("the table of metrics has what the processes show, and nothing else", async () => {
  const documented = await documentedMetrics();
  for (const role of roles) {
    const shown = [...(await scrape(role)).matchAll(/^# TYPE (kept_\w+)/gm)].map(([, name = ""]) => name);
    const listed = documented.filter(({ process }) => process === role || process === "all");
    expect([role, ...shown.sort()]).toEqual([role, ...listed.map(({ name }) => name).sort()]);
  }
});

test("the dashboard and the alerts ask for metrics that there are, by labels that they have", async () => {
  await rest("POST", "/todos", { body: { title: "Counted" } });
  const shown = new Set(["up", "ALERTS"]);
  for (const role of roles)
    for (const [, name = "", type] of (await scrape(role)).matchAll(/^# TYPE (\w+) (\w+)/gm)) {
      if (type !== "histogram") shown.add(name);
      else for (const end of ["bucket", "sum", "count"]) shown.add(`${name}_${end}`);
    }
  const own = (await documentedMetrics()).flatMap(({ labels }) => labels);
  const labels = new Set([...own, "job", "instance", "le", "alertname", "alertstate"]);
  const expressions = await monitoringExpressions();
  expect(expressions.length).toBeGreaterThan(40);
  expect(expressions.flatMap(metricsIn).filter((name) => !shown.has(name))).toEqual([]);
  expect(expressions.flatMap(labelsIn).filter((name) => !labels.has(name))).toEqual([]);
});

test("every kept metric is on the dashboard", async () => {
  const used = new Set((await monitoringExpressions()).flatMap(metricsIn));
  const names = (await documentedMetrics()).map(({ name }) => name);
  const isUsed = (name: string) => ["", "_bucket", "_sum", "_count"].some((end) => used.has(name + end));
  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});

test("transactions and commits are timed, and pools and queues are counted", async () => {
  await rest("POST", "/todos", { body: { title: "Counted" } });
  await rest("POST", "/batch", { body: { operations: [{ method: "DELETE", path: "/todos/1" }] } });
  const category = await rest("POST", "/categories", { body: { name: "Slow to delete" } });
  await rest("DELETE", `/categories/${category.body.id}`);
  for (const queue of ["batches", "groups", "slow"])
    expect(await seriesOf("worker", `kept_transaction_seconds_count{queue="${queue}"}`)).toBeGreaterThan(0);
  expect(await seriesOf("worker", "kept_commit_seconds_count")).toBeGreaterThanOrEqual(4);
  for (const role of roles) {
    const [open, most] = await Promise.all([
      seriesOf(role, 'kept_postgres_connections{pool="primary"}'),
      seriesOf(role, 'kept_postgres_connections_max{pool="primary"}'),
    ]);
    expect(open).toBeGreaterThan(0);
    expect(most).toBeGreaterThanOrEqual(open ?? 0);
    expect(await seriesOf(role, 'kept_postgres_waiting{pool="primary"}')).toBe(0);
  }
  // A scrape waits only briefly for Redis.
  const isEmpty = async (queue: string) =>
    (await seriesOf("worker", `kept_queue_jobs{queue="${queue}",state="waiting"}`)) === 0;
  for (const queue of ["commands", "deliveries"]) await eventually(() => isEmpty(queue));
  expect(await seriesOf("front door", "kept_mailbox_commands")).toBe(0);
});

test("a server that is no standby answers no reads as one", async () => {
  await rest("GET", "/todos");
  expect(await seriesOf("front door", 'kept_standby_reads_total{server="primary"}')).toBeGreaterThan(0);
  expect(await seriesOf("front door", 'kept_standby_reads_total{server="standby"}')).toBeUndefined();
});

test("a reminder's lateness is from when it was due to when it was sent", async () => {
  const { body } = await rest("POST", "/todos", { body: { title: "Late" } });
  const remind_at = new Date(Date.now() - 20_000).toISOString();
  expect((await rest("PUT", `/todos/${body.id}/reminder`, { body: { remind_at } })).status).toBe(200);
  const sent = 'kept_reminder_attempts_total{channel="log",outcome="unsent"}';
  await eventually(async () => (await seriesOf("worker", sent)) === 1);
  const lateness = await seriesOf("worker", 'kept_reminder_lateness_seconds_sum{channel="log"}');
  expect(lateness).toBeGreaterThan(19);
  expect(lateness).toBeLessThan(600);
});

test("while Redis does not answer, a worker shows all but the length of its queues", async () => {
  const waiting = 'kept_queue_jobs{queue="commands",state="waiting"}';
  await eventually(async () => (await seriesOf("worker", waiting)) === 0);
  gate.silence();
  const text = await scrape("worker");
  expect(text).toContain("# TYPE kept_queue_jobs gauge");
  expect(text).not.toContain("kept_queue_jobs{");
  expect(text).toContain("kept_postgres_connections{");
  // A connection that fell silent is replaced by itself.
  await eventually(async () => (await seriesOf("worker", waiting)) === 0);
});
