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

/** The environment of every container, with the secret made from its example. */
export const environment: Readonly<Record<string, string>> = {
  ...resources.find(ConfigMap.is)?.data,
  ...resources.find(Secret.is)?.stringData,
};
