import { expect, test } from "bun:test";
import { root } from "../../labs/supply-chain/packages.ts";

const units = [...new Bun.Glob("docs/systemd/*.service").scanSync(root)];

test.skipIf(!Bun.which("systemd-analyze")).each(units)("%s leaves a break-in little", (unit) => {
  const command = ["systemd-analyze", "security", "--offline=true", "--threshold=40", "--no-pager", unit];
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd: root });
  expect([exitCode, exitCode === 0 ? "" : stdout.toString()]).toEqual([0, ""]);
});
