import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Glob, YAML } from "bun";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import manifest from "../../../package.json";
import { loadConfig } from "../../../shared/process/config.ts";
import { neededConnections } from "../../../shared/process/connections.ts";
import { createStatusPages } from "../../../shared/process/observe/status-pages.ts";
import { root, settingNames } from "./compose-file.ts";

const folder = join(root, "docs/kubernetes");

type Resource = Readonly<{ apiVersion: string; kind: string }>;

/** The files of the manifests' folder and of the migrations. */
const files = [...new Glob("**/*.yaml").scanSync(folder)].toSorted();
const documents = new Map<string, readonly Resource[]>();
for (const file of files) {
  const parsed = YAML.parse(await Bun.file(join(folder, file)).text()) as Resource | Resource[];
  documents.set(file, [parsed].flat());
}

type Kustomization = Resource & Readonly<{ resources: string[]; images: { newTag: string }[] }>;

/** The lists of files by folder; kubectl reads them, and no server knows their kind. */
const kustomizations = [...documents].flatMap(([file, [found]]) =>
  found?.kind === "Kustomization" ? [{ file, ...(found as Kustomization) }] : [],
);

const resources = [...documents.values()].flat().filter(({ kind }) => kind !== "Kustomization");
const deployments = resources.filter(Deployment.is);

/** All resources that make pods, with the one container of each. */
const pods = [...deployments, ...resources.filter(Job.is)].flatMap(({ metadata, spec }) => {
  const pod = spec?.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (!pod || !container || others.length > 0) throw new Error(`${metadata?.name} has not one container.`);
  return { name: metadata?.name ?? "", pod, container };
});

const secrets = new Map(
  resources.filter(Secret.is).map(({ metadata, stringData }) => [metadata?.name, stringData]),
);

/** The secrets that the container of a pod gets, by their names. */
const secretsOf = (pod: string): string[] =>
  pods
    .filter(({ name }) => name === pod)
    .flatMap(({ container }) => container.envFrom?.flatMap(({ secretRef }) => secretRef?.name ?? []) ?? []);

/** The environment of a pod's container, with the secrets made from their examples. */
const environmentOf = (pod: string): Readonly<Record<string, string>> =>
  Object.assign({}, resources.find(ConfigMap.is)?.data, ...secretsOf(pod).map((name) => secrets.get(name)));

const config = loadConfig(environmentOf("door"));
const moduleOf = ({ apiVersion, kind }: (typeof resources)[number]) =>
  `kubernetes-models/${apiVersion}/${kind}`;

test("every manifest keeps to the schema of its kind", async () => {
  expect(resources.length).toBeGreaterThan(20);
  for (const resource of resources) {
    const { [resource.kind]: Model } = await import(moduleOf(resource));
    expect(() => new Model(resource).validate()).not.toThrow();
  }
});

/** The schemas allow further fields, like a server that only warns; the compiler does not. */
test("no manifest has a field that its kind does not have", async () => {
  const literals = resources.map(
    (resource, number) =>
      `import type { I${resource.kind} as Kind${number} } from "${moduleOf(resource)}";\n` +
      `export const resource${number}: Kind${number} = ${JSON.stringify(resource)};`,
  );
  // Inside the project, so that the packages are found.
  const folder = await mkdtemp(join(root, "data-test-manifests-"));
  await Bun.write(join(folder, "all.ts"), literals.join("\n"));
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--types", ""];
  const modules = ["--module", "preserve", "--moduleResolution", "bundler"];
  const compiler = Bun.spawn(
    [join(root, "node_modules/.bin/tsc"), ...options, ...modules, join(folder, "all.ts")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const complaints = await compiler.stdout.text();
  await rm(folder, { recursive: true });
  expect(complaints).toBe("");
});

test("the lists of files are whole, and name the version of this release", () => {
  const listed = kustomizations.flatMap(({ file, resources }) =>
    resources.map((name) => join(file, "..", name)),
  );
  const others = files.filter((file) => !file.endsWith("kustomization.yaml"));
  expect([...listed, "secret.example.yaml"].toSorted()).toEqual(others);
  for (const { images } of kustomizations)
    expect(images.map(({ newTag }) => newTag)).toEqual([manifest.version]);
});

test("the manifests tell how many connections PostgreSQL must allow for the most processes and one more of each", () => {
  const most = (name: string) => {
    const scaler = resources
      .filter(HorizontalPodAutoscaler.is)
      .find(({ metadata }) => metadata?.name === name);
    const deployment = deployments.find(({ metadata }) => metadata?.name === name);
    return 1 + (scaler?.spec?.maxReplicas ?? deployment?.spec?.replicas ?? Number.NaN);
  };
  const processes = { doors: most("door"), workers: most("workers") };
  const text = readFileSync(join(folder, "door.yaml"), "utf8");
  expect(text).toContain(`PostgreSQL needs max_connections = ${neededConnections(config, processes)}.`);
});

const kubectl = Bun.which("kubectl");
if (!kubectl) console.warn("SKIPPED: a test of the manifests needs kubectl.");
test.skipIf(!kubectl)(
  "kubectl puts the manifests together, with the image of the release in each pod",
  async () => {
    const both = ["migrate", "."].map((part) => Bun.$`kubectl kustomize ${join(folder, part)}`.text());
    const text = (await Promise.all(both)).join("\n");
    const images = [...text.matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image);
    expect(images).toEqual(pods.map(() => `registry.example.org/kept:${manifest.version}`));
  },
);

test("the settings are settings, and every container gets them, the secret and its own database role", () => {
  const databases = { door: "door", workers: "worker", migrate: "owner" };
  for (const { name, pod, container } of pods) {
    expect(Object.keys(environmentOf(name)).filter((setting) => !settingNames.has(setting))).toEqual([]);
    expect(container.envFrom?.[0]).toEqual({ configMapRef: { name: "kept-settings" } });
    const database = databases[name as keyof typeof databases];
    expect(secretsOf(name)).toEqual(["kept-secrets", `kept-database-${database}`]);
    const { username } = new URL(environmentOf(name).DATABASE_URL ?? "");
    expect(username).toBe(database === "owner" ? "kept" : `kept_${database}`);
    expect(pod.enableServiceLinks).toBe(false);
  }
});

test("each role runs its program, listens where it is asked, and answers what it is asked", () => {
  const ports = { door: config.port, workers: config.workerPort };
  const pages = createStatusPages({
    exposition: { answer: async () => new Response() },
    ready: async () => ({ status: "ok", missing: [] }),
    isDraining: () => false,
  });
  expect(deployments.map(({ metadata }) => metadata?.name).toSorted()).toEqual(Object.keys(ports).toSorted());
  for (const { name, container } of pods) {
    const [program, script = ""] = container.command ?? [];
    expect([program, existsSync(join(root, script))]).toEqual(["bun", true]);
    if (name === "migrate") continue;
    const [port] = container.ports ?? [];
    expect(port?.containerPort).toBe(ports[name as keyof typeof ports]);
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const probes = [startupProbe, livenessProbe, ...(readinessProbe ? [readinessProbe] : [])];
    for (const probe of probes) {
      expect(probe?.httpGet?.port).toBe(port?.name ?? "");
      expect(pages("GET", probe?.httpGet?.path ?? "")).toBeDefined();
    }
    // Only monitoring asks a worker.
    expect(readinessProbe?.httpGet?.path).toBe(name === "workers" ? undefined : "/health/accepting");
  }
  const served = resources
    .filter(Service.is)
    .map(({ metadata, spec }) => [metadata?.name, spec?.ports?.[0]?.port]);
  expect(Object.fromEntries(served)).toEqual(ports);
});

test("no container is root, can write to its image or has powers, and each is bounded", () => {
  expect(pods.map(({ name }) => name).toSorted()).toEqual(["door", "migrate", "workers"]);
  for (const { pod, container } of pods) {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(Object.keys(container.resources?.requests ?? {})).toEqual(["cpu", "memory"]);
    expect(container.resources?.limits).toHaveProperty("memory");
  }
});

test("a pod has time to drain, one of each is always there, and one disruption at a time is allowed", () => {
  const names = deployments.map(({ metadata }) => metadata?.name).toSorted();
  for (const { spec } of deployments) {
    expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      config.drainSeconds + 15,
    );
    expect(spec?.strategy?.rollingUpdate).toMatchObject({ maxUnavailable: 0 });
  }
  const budgets = resources.filter(PodDisruptionBudget.is);
  expect(budgets.map(({ metadata }) => metadata?.name).toSorted()).toEqual(names);
  for (const { metadata, spec } of budgets) {
    expect(spec?.maxUnavailable).toBe(1);
    const of = deployments.find((one) => one.metadata?.name === metadata?.name);
    expect(spec?.selector).toEqual(of?.spec?.selector);
  }
});
