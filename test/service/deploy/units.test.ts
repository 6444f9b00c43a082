import { afterAll, expect, test } from "bun:test";
import { basename } from "node:path";
import { root } from "../../labs/supply-chain/packages.ts";

const units = [...new Bun.Glob("docs/systemd/*.service").scanSync(root)];

test.skipIf(!Bun.which("systemd-analyze")).each(units)("%s leaves a break-in little", (unit) => {
  const command = ["systemd-analyze", "security", "--offline=true", "--threshold=40", "--no-pager", unit];
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd: root });
  expect([exitCode, exitCode === 0 ? "" : stdout.toString()]).toEqual([0, ""]);
});

const server = Bun.serve({ hostname: "127.0.0.2", port: 0, fetch: () => new Response() });
afterAll(() => server.stop(true));

test.each(["kept.service", "kept-door@.service", "kept-worker@.service"])(
  "%s waits for its process at the HOST and PORT of the settings",
  async (name) => {
    const unit = units.find((path) => basename(path) === name) ?? "";
    const text = (await Bun.file(`${root}/${unit}`).text()).replaceAll("%i", String(server.port));
    const [, wait = ""] = /^ExecStartPost=(.*)$/m.exec(text) ?? [];
    // systemd makes one dollar of two.
    const typed = wait.replaceAll("$$", "$").replace(/--retry \d+/, "--retry 1");
    const env = { PATH: process.env.PATH, HOST: "127.0.0.2", PORT: String(server.port) };
    const child = Bun.spawn(["sh", "-c", typed], { env, stderr: "inherit" });
    expect(await child.exited).toBe(0);
  },
);
