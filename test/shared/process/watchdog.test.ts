import { expect, test } from "bun:test";
import { join } from "node:path";
import { folderOfFile } from "../../support/folder.ts";
import { eventually } from "../../support/reminder/stack.ts";

const canNotify = Bun.which("systemd-notify") !== null;
if (!canNotify) console.warn("SKIPPED: the test of the watchdog needs systemd-notify (Debian: systemd).");
const folder = folderOfFile("watchdog");

/** Stands for systemd: prints each message to its socket. */
const receiver = `
  use Socket; $| = 1;
  socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die;
  bind($socket, pack_sockaddr_un($ARGV[0])) or die;
  while (defined recv($socket, my $message, 4096, 0)) { print "$message\\n" if $message =~ /WATCHDOG/ }`;
const module = join(import.meta.dir, "../../../shared/process/watchdog.ts");
const feed = `(await import("${module}")).feedWatchdog(() => true); setInterval(() => {}, 1e6)`;

/** Runs a process that feeds a watchdog every 100 ms. @param shell sets the process that is watched */
function watched(name: string, shell: string) {
  const socket = join(folder, name);
  let heard = "";
  const systemd = Bun.spawn(["perl", "-e", receiver, socket], { stdout: "pipe" });
  void (async () => {
    for await (const chunk of systemd.stdout) heard += new TextDecoder().decode(chunk);
  })();
  const env = { PATH: process.env.PATH, NOTIFY_SOCKET: socket, WATCHDOG_USEC: "300000" };
  const process_ = Bun.spawn(["sh", "-c", `${shell} exec "$0" -e "$1"`, process.execPath, feed], { env });
  const count = () => heard.split("WATCHDOG=1").length - 1;
  const end = () => [systemd, process_].map((child) => child.kill("SIGKILL"));
  return { pid: process_.pid, count, end };
}

test.skipIf(!canNotify)(
  "a process that lives says so to systemd, and falls silent when it freezes",
  async () => {
    const [frozen, living] = [watched("frozen", "WATCHDOG_PID=$$"), watched("living", "WATCHDOG_PID=$$")];
    const nextFour = async () => {
      const before = living.count();
      await eventually(() => living.count() >= before + 4);
    };
    await eventually(() => frozen.count() >= 3);
    process.kill(frozen.pid, "SIGSTOP");
    await nextFour();
    const before = frozen.count();
    await nextFour();
    expect(frozen.count()).toBe(before);
    process.kill(frozen.pid, "SIGCONT");
    await eventually(() => frozen.count() > before);
    for (const { end } of [frozen, living]) end();
  },
);

test.skipIf(!canNotify)("a role under a supervisor does not speak for it", async () => {
  const [parent, role] = [watched("parent", "WATCHDOG_PID=$$"), watched("role", "WATCHDOG_PID=1")];
  await eventually(() => parent.count() >= 5);
  expect(role.count()).toBe(0);
  for (const { end } of [parent, role]) end();
});
