import { join } from "node:path";
import { Glob, YAML } from "bun";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Secret } from "kubernetes-models/v1/Secret";
import { root } from "./compose-file.ts";

export const folder = join(root, "docs/kubernetes");

type Resource = Readonly<{ apiVersion: string; kind: string }>;

/** The files of the manifests' folder and of the migrations. */
export const files = [...new Glob("**/*.yaml").scanSync(folder)].toSorted();
const documents = new Map<string, readonly Resource[]>();
for (const file of files) {
  const parsed = YAML.parse(await Bun.file(join(folder, file)).text()) as Resource | Resource[];
  documents.set(file, [parsed].flat());
}

type Kustomization = Resource & Readonly<{ resources: string[]; images: { newTag: string }[] }>;

/** The lists of files by folder; kubectl reads them, and no server knows their kind. */
export const kustomizations = [...documents].flatMap(([file, [found]]) =>
  found?.kind === "Kustomization" ? [{ file, ...(found as Kustomization) }] : [],
);

export const resources = [...documents.values()].flat().filter(({ kind }) => kind !== "Kustomization");
export const deployments = resources.filter(Deployment.is);

/** All resources that make pods, with the one container of each. */
export const pods = [...deployments, ...resources.filter(Job.is)].flatMap(({ metadata, spec }) => {
  const pod = spec?.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (!pod || !container || others.length > 0) throw new Error(`${metadata?.name} has not one container.`);
  return { name: metadata?.name ?? "", pod, container };
});

const secrets = new Map(
  resources.filter(Secret.is).map(({ metadata, stringData }) => [metadata?.name, stringData]),
);

/** The secrets that the container of a pod gets, by their names. */
export const secretsOf = (pod: string): string[] =>
  pods
    .filter(({ name }) => name === pod)
    .flatMap(({ container }) => container.envFrom?.flatMap(({ secretRef }) => secretRef?.name ?? []) ?? []);

/** The environment of a pod's container, with the secrets made from their examples. */
export const environmentOf = (pod: string): Readonly<Record<string, string>> =>
  Object.assign({}, resources.find(ConfigMap.is)?.data, ...secretsOf(pod).map((name) => secrets.get(name)));
