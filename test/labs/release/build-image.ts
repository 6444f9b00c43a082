import { join } from "node:path";
import { $ } from "bun";
import { temporaryFolder } from "../../support/folder.ts";
import { readManifest, root } from "../supply-chain/packages.ts";

/** True if this machine can build an image: buildah runs the steps by chroot, which needs root. */
export const canBuild = process.getuid?.() === 0 && Bun.which("buildah") !== null;

const dockerfile = await Bun.file(join(root, "Dockerfile")).text();
/** The images that the Dockerfile begins with. */
const [nodeImage = "", debianImage = ""] = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);

/** Runs buildah with a line of words, and answers its output. */
type Buildah = (line: string) => Promise<string>;

/** Buildah, without an engine or a daemon, with images in a folder of its own. */
export async function openStore(): Promise<Readonly<{ folder: string; buildah: Buildah }>> {
  const folder = temporaryFolder("images");
  const places = ["--storage-driver", "vfs", "--root", `${folder}/images`, "--runroot", `${folder}/run`];
  const buildah: Buildah = async (line) =>
    (await $`buildah ${places} ${line.split(" ")}`.quiet().text()).trim();
  return { folder, buildah };
}

/**
 * Builds the image of the Dockerfile and packs it as an archive in the OCI layout.
 * @returns the path of the archive
 */
export async function buildImage(into: string): Promise<string> {
  const { folder, buildah } = await openStore();
  const isPulled = await buildah(`pull docker.io/library/${debianImage}`).then(Boolean, () => false);
  if (!isPulled) await makeBases(buildah, folder);
  const { version } = readManifest();
  const cache = (await $`npm config get cache`.text()).trim();
  const mounts = `--volume ${cache}:/root/.npm --volume /etc/ssl/certs:/etc/ssl/certs:ro`;
  const bases = isPulled ? "" : "--pull-never ";
  await buildah(`bud --isolation=chroot --layers=false ${bases}${mounts} --tag kept:${version} ${root}`);
  const archive = join(into, `kept-${version}.oci.tar`);
  await $`mkdir -p ${into} && rm -f ${archive}`;
  await buildah(`push --quiet kept:${version} oci-archive:${archive}:kept:${version}`);
  await $`rm -rf ${folder}`;
  return archive;
}

/** Makes the images that the Dockerfile begins with of Debian's packages and Node's of npm: no registry is in reach. */
async function makeBases(buildah: Buildah, folder: string): Promise<void> {
  const [version = ""] = /[\d.]+/.exec(nodeImage) ?? [];
  const [system, programs] = [join(folder, "system.tar"), join(folder, "node")];
  await $`mmdebstrap --quiet --variant=minbase bookworm ${system}`;
  await $`npm install --silent --global --prefix ${programs} node@${version} npm@10`;
  const container = await buildah("from scratch");
  const set = (line: string) => buildah(`config --env ${line} ${container}`);
  await buildah(`add --quiet ${container} ${system} /`);
  await set("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  await buildah(`commit --quiet ${container} docker.io/library/${debianImage}`);
  await buildah(`add --quiet ${container} ${programs} /usr/local`);
  await set("npm_config_prefer_offline=true");
  await set("NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt");
  await buildah(`commit --quiet --rm ${container} docker.io/library/${nodeImage}`);
}
