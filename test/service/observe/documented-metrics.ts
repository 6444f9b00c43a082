import { join } from "node:path";

const docs = join(import.meta.dir, "../../../docs");
const textOf = (path: string): Promise<string> => Bun.file(join(docs, path)).text();

/** The rows of the table of metrics. */
export async function documentedMetrics() {
  const rows = (await textOf("monitoring.md")).matchAll(/^\| `(kept_\w+)` \|([^|]*)\|([^|]*)\|/gm);
  return [...rows].map(([, name = "", labels = "", process = ""]) => ({
    name,
    labels: labels.split(",").map((label) => label.trim()),
    process: process.trim(),
  }));
}

export type Dashboard = Readonly<{
  panels: readonly Readonly<{
    id: number;
    title: string;
    gridPos: Readonly<{ x: number; y: number; w: number; h: number }>;
    targets?: readonly Readonly<{ expr: string }>[];
  }>[];
  annotations: Readonly<{ list: readonly Readonly<{ expr: string }>[] }>;
}>;

export const readDashboard = async (): Promise<Dashboard> =>
  JSON.parse(await textOf("monitoring/dashboard.json"));

/** The dashboard's queries to Prometheus, with an interval in Grafana's placeholder. */
export async function dashboardExpressions(): Promise<string[]> {
  const { panels, annotations } = await readDashboard();
  const targets = [...annotations.list, ...panels.flatMap(({ targets = [] }) => targets)];
  return targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"));
}

/** All expressions of dashboard and alerts. */
export async function monitoringExpressions(): Promise<string[]> {
  const file = Bun.YAML.parse(await textOf("monitoring/alerts.yaml")) as {
    groups: { rules: { expr: string }[] }[];
  };
  const alerts = file.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  return [...(await dashboardExpressions()), ...alerts];
}

const withoutTexts = (expression: string): string => expression.replace(/"[^"]*"/g, '""');

/** Names of metrics in an expression: words without a following bracket, outside of lists of labels. */
export function metricsIn(expression: string): string[] {
  const bare = withoutTexts(expression)
    .replace(/\{[^}]*\}/g, "")
    .replace(/\bby \([^)]*\)/g, "")
    .replace(/\[[^\]]*\]|\boffset \w+/g, "");
  return [...bare.matchAll(/\b([a-zA-Z_]\w*)\b(?!\s*\()/g)].flatMap(([, name = ""]) =>
    ["or", "and", "unless"].includes(name) ? [] : [name],
  );
}

/** The names of the labels in an expression. */
export function labelsIn(expression: string): string[] {
  const bare = withoutTexts(expression);
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/(\w+)\s*[=!]/g)].map(([, name = ""]) => name),
  );
  const groups = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => name.trim()),
  );
  return [...matchers, ...groups];
}
