import { join } from "node:path";
import { $ } from "bun";
import { toolList } from "../../../api/doors/mcp/tools.ts";
import { inFolder } from "../../support/folder.ts";
import { licenseTexts, readLock, readManifest, root } from "../supply-chain/packages.ts";

/** The name in the MCP registry belongs to the account that publishes. npm's package carries it as proof. */
export const registryName = `io.github.${Bun.env.GITHUB_REPOSITORY_OWNER ?? "kept"}/kept`;

/** The registry takes at most 100 characters. */
const summary = "Habits, todos, streaks and reminders of the person whose agent you are";

/** The entry in the MCP registry: the service is the npm package `kept`, and runs on the person's own machine. */
export const serverJson = () => {
  const { name: identifier, version } = readManifest();
  const transport = { type: "streamable-http", url: "http://localhost:3000/mcp" };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: registryName,
    title: "Kept",
    description: summary,
    version,
    packages: [{ registryType: "npm", identifier, version, runtimeHint: "npx", transport }],
  };
};

/** The manifest of the bundle for hosts that only start programs, such as Claude Desktop. */
export const bundleManifest = () => ({
  manifest_version: "0.3",
  name: "kept",
  display_name: "Kept",
  version: readManifest().version,
  description: summary,
  author: { name: "The developers of Kept" },
  license: "MIT",
  icon: "icon.png",
  server: {
    type: "node",
    entry_point: "server/index.js",
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the host fills these in
    mcp_config: {
      command: "node",
      args: ["${__dirname}/server/index.js", "${user_config.address}/mcp"],
    },
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  },
  user_config: {
    address: {
      type: "string",
      title: "Address of Kept",
      description: "The address of the account pages, without a path",
      default: "http://localhost:3000",
      required: true,
    },
  },
  tools: toolList.map(({ name, description }) => ({ name, description })),
  compatibility: { runtimes: { node: ">=20" } },
});

/** Writes what the bundle contains: the manifest, an icon, mcp-remote as one file, and the licences in it. */
export async function stageBundle(folder: string): Promise<void> {
  const entry = join(root, "node_modules/mcp-remote/dist/proxy.js");
  const { outputs, metafile } = await Bun.build({
    entrypoints: [entry],
    target: "node",
    minify: true,
    metafile: true,
  });
  const [bridge] = outputs;
  if (!bridge || !metafile) throw new Error("mcp-remote could not be bundled.");
  await Bun.write(join(folder, "LICENSES.txt"), await licensesOf(Object.keys(metafile.inputs)));
  await Bun.write(join(folder, "server/index.js"), await bridge.text());
  await Bun.write(join(folder, "server/package.json"), JSON.stringify({ type: "module" }));
  await Bun.write(join(folder, "icon.png"), Bun.file(join(root, "api/web/icon.png")));
  await Bun.write(join(folder, "manifest.json"), JSON.stringify(bundleManifest(), null, 2));
}

const inNodeModules = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

/** The licences of the packages that bundled files come from. */
async function licensesOf(files: readonly string[]): Promise<string> {
  const { packages } = readLock();
  const folders = files.flatMap((file) => inNodeModules.exec(file)?.[0] ?? []);
  const all = new Set([...folders, ...(await packedBefore(files))]);
  const sections = [...all].toSorted().map((folder) => {
    const title = `${folder.slice("node_modules/".length)} (${packages[folder]?.license})`;
    return [title, ...licenseTexts({ folder, isForOnePlatform: false })].join("\n\n");
  });
  return sections.join("\n\n----\n\n");
}

/** Folders of the packages in files of mcp-remote, which its own build has packed; comments there name them. */
async function packedBefore(files: readonly string[]): Promise<string[]> {
  const packed = files.filter((file) => file.includes("node_modules/mcp-remote/dist/"));
  const texts = await Promise.all(packed.map((file) => Bun.file(join(root, inRoot(file))).text()));
  const named = texts.join("\n").matchAll(/^\/\/ node_modules\/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm);
  return [...named].map(([, name]) => `node_modules/${name}`);
}

const inRoot = (file: string): string => file.slice(file.indexOf("node_modules/"));

/** Writes the bundle and the registry's entry into a folder. The bundle's own tool checks it on the way. */
export async function packForHosts(folder: string): Promise<void> {
  const archive = join(folder, `kept-${readManifest().version}.mcpb`);
  await inFolder("bundle", async (staged) => {
    await stageBundle(staged);
    await $`npm exec --yes --package=@anthropic-ai/mcpb@2.1.2 -- mcpb pack ${staged} ${archive}`;
  });
  await Bun.write(join(folder, "server.json"), JSON.stringify(serverJson(), null, 2));
}

/** `npm run lab -- bundle` */
if (import.meta.main) await packForHosts(join(root, "release"));
