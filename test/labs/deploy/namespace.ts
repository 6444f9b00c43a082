import { rmSync } from "node:fs";
import { temporaryFolder } from "../../support/folder.ts";

const asRoot = process.platform === "linux" && process.getuid?.() === 0;
const own = { network: ["--net"], all: ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"] };

/** True if this machine allows namespaces. */
export const hasNamespaces =
  asRoot &&
  Bun.which("unshare") !== null &&
  Bun.spawnSync(["unshare", ...own.network, ...own.all, "true"]).exitCode === 0;

export type Shell = Readonly<{
  /**
   * Types a block of commands.
   * @returns their output
   * @throws with the output if one of them fails
   */
  type(commands: string): Promise<string>;
  end(): Promise<void>;
}>;

/** A shell of root with mounts and processes of its own. All that was started in it ends with it. */
async function openShell(
  spaces: readonly string[],
  setUp: readonly string[],
  { env, folder }: Readonly<{ env: Record<string, string | undefined>; folder: string }>,
): Promise<Shell> {
  const shell = Bun.spawn(["unshare", ...spaces, "bash", "-s"], {
    cwd: "/",
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = shell.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  async function type(commands: string): Promise<string> {
    const mark = crypto.randomUUID();
    await shell.stdin.write(`${commands}\necho; echo ${mark}\n`);
    await shell.stdin.flush();
    let said = "";
    while (!said.includes(`\n${mark}\n`)) {
      const { value, done } = await output.next();
      if (done) throw new Error(`Failed:\n${commands}\n\nwith:\n${said}`);
      said += value;
    }
    return said;
  }
  await type(["set -e; mount --make-rprivate /", ...setUp].join("\n"));
  // The shell echoes each command and its errors into the output.
  await type("exec 2>&1; set -ex");
  return {
    type,
    async end() {
      shell.kill("SIGKILL");
      await shell.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A shell that sees this machine with users, units, settings, data and a network of its own, so that it may change them
 * and listen at any port.
 */
export function enterMachine(env: Record<string, string | undefined>): Promise<Shell> {
  const folder = temporaryFolder("machine");
  const places = ["srv", "var/lib", "var/backups", "var/log", "run", "usr/local/sbin"];
  const setUp = [
    `chmod 755 ${folder}; cp -a /etc ${folder}/etc`,
    ...places.map((path) => `mkdir -p ${folder}/${path} /${path}`),
    ...[...places, "etc"].map((path) => `mount --bind ${folder}/${path} /${path}`),
    "ip link set lo up",
  ];
  return openShell([...own.network, ...own.all], setUp, { env, folder });
}

/** A shell of root in the unpacked file system of an image. */
export function enterImage(folder: string): Promise<Shell> {
  const setUp = [
    // Only a mount can become read-only later.
    `mount --bind ${folder} ${folder}; cd ${folder}`,
    "mount --rbind /dev dev; mount -t proc proc proc; mount -t tmpfs tmpfs tmp",
    "exec chroot . bash -s",
  ];
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  return openShell(own.all, setUp, { env, folder });
}
