import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { useStack } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";
import { readManifest, root } from "../supply-chain/packages.ts";
import { bundleManifest, registryName, serverJson, stageBundle } from "./hosts.ts";

const plugin = join(root, "api/client/plugin");
const { version } = readManifest();

test("the bundle has the licences of all that is in it, and its program connects a host that only starts programs", async () => {
  const folder = folderOfFile("hosts");
  await stageBundle(folder);
  const licenses = await Bun.file(join(folder, "LICENSES.txt")).text();
  const titles = [...licenses.matchAll(/^(\S+) \((\S+)\)\n\n/gm)].map(([, name = "", license]) => [
    name,
    license,
  ]);
  const bundled = ["mcp-remote", "mcp-remote/node_modules/express", "undici", "zod"];
  for (const name of bundled) expect(titles).toContainEqual([name, "MIT"]);
  expect(titles).toContainEqual(["@modelcontextprotocol/client", "Apache-2.0"]);
  expect(titles.map(([, license]) => license)).not.toContain("undefined");
  expect(licenses).toContain("Copyright (c) Matteo Collina and Undici contributors");
  const { config, issuer } = await useStack();
  const values: Record<string, string> = { __dirname: folder, "user_config.address": config.baseUrl };
  const { command, args } = bundleManifest().server.mcp_config;
  const filled = args.map((arg) => arg.replace(/\$\{([\w.]+)\}/g, (_, name) => values[name] ?? ""));
  const header = ["--header", `Authorization: Bearer ${await issuer.token()}`];
  const client = new Client({ name: "test", version: "1" });
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  await client.connect(
    new StdioClientTransport({ command, args: [...filled, ...header], env, stderr: "ignore" }),
  );
  afterAll(() => client.close());
  const { structuredContent } = await client.callTool({
    name: "create-todo",
    arguments: { title: "Bundled" },
  });
  expect(structuredContent).toMatchObject({ todo: { title: "Bundled" } });
});

test("plugin and registry entry have the version of the package, and the entry keeps the registry's rules", async () => {
  for (const host of ["claude", "codex"]) {
    const manifest = await Bun.file(join(plugin, `.${host}-plugin/plugin.json`)).json();
    expect(manifest).toMatchObject({ name: "kept", version });
  }
  expect(serverJson().description.length).toBeLessThanOrEqual(100);
  expect(registryName).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
});

test("the skill names only tools, arguments and fields that exist", async () => {
  const skill = await Bun.file(join(plugin, "skills/kept/SKILL.md")).text();
  const [, front = "", body = ""] = skill.split(/^---$/m);
  expect(front).toContain("name: kept");
  const tools = await Bun.file(join(root, "test/service/mcp/tools/snapshots/tools-list.json")).text();
  const documented = await Bun.file(join(root, "docs/mcp.md")).text();
  const named = [...body.matchAll(/`([a-z][a-z_-]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !tools.includes(`"${name}"`) && !documented.includes(name))).toEqual([]);
});
