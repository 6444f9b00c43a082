import { resolve } from "node:path";
import { type CommonConfig, loadCommonConfig } from "../process/config.ts";
import { toRun } from "../process/to-run.ts";
import { feedWatchdog, sameSignalMs } from "../process/watchdog.ts";
import { explain } from "./explain.ts";
import { createInstance, type Instance, type Plan } from "./instance.ts";
import { elapsed } from "./servers/elapsed.ts";
import { welcome } from "./welcome.ts";

const parentCheckMs = 500;

/** The scripts of an instance, as absolute paths. */
type Scripts = Pick<Plan, "migrate" | "roles">;

/**
 * Does all of `npm start`: runs an instance until SIGINT or SIGTERM; a second one ends it at once. Everything it starts
 * is a child of this process and ends with it. If it cannot start, it prints the reason in one line and ends with exit code 1.
 */
export async function run(scripts: (config: CommonConfig) => Scripts): Promise<void> {
  const start = performance.now();
  feedWatchdog(() => true);
  let instance: Instance | undefined;
  try {
    const config = loadCommonConfig();
    const plan = planOf(config, scripts(config));
    const running = createInstance(plan, (line) => console.log(`  ${line}`));
    instance = running;
    stopOnRequest(running);
    console.log(`Kept starts; its data is in ${plan.dataDir}`);
    const details = await running.start();
    const isWhole = await isReady(config);
    console.log(
      isWhole
        ? `Ready in ${elapsed(start)}.`
        : `Kept runs, but not all of it works. Ask the doctor: ${toRun("doctor")}`,
    );
    console.log(welcome(config, plan.dataDir, details));
  } catch (error) {
    console.error(`Kept could not start. ${explain(error)}`);
    await instance?.stop();
    process.exit(1);
  }
}

const readyMs = 10_000;

/** Waits for a front door that can do everything, at most for a while. */
async function isReady({ host = "localhost", port }: CommonConfig): Promise<boolean> {
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/health/ready`;
  const deadline = performance.now() + readyMs;
  const ask = () => fetch(address).catch(() => undefined);
  while (!(await ask())?.ok) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}

function planOf(config: CommonConfig, scripts: Scripts): Plan {
  const hosts = config.host ? [config.host] : ["127.0.0.1", "::1"];
  const addresses = [{ setting: "PORT", port: config.port, hosts }];
  for (let number = 0; config.workerPort !== 0 && number < Math.max(1, config.workers); number++)
    addresses.push({ setting: "WORKER_PORT", port: config.workerPort + number, hosts: hosts.slice(0, 1) });
  return {
    dataDir: resolve(config.dataDir),
    databaseUrl: config.databaseUrl,
    roleUrls: config.roleUrls,
    redisUrl: config.redisUrl,
    queuePrefix: config.queuePrefix,
    addresses,
    ...scripts,
  };
}

function stopOnRequest(instance: Instance): void {
  let stoppingSince: number | undefined;
  async function stop() {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > sameSignalMs) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    console.log("Stopping …");
    await instance.stop();
    console.log("Stopped.");
    process.exit(0);
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event) whenParentIsGone(stop);
}

/** A kill -9 of npm, which should end everything, sends no signal. */
function whenParentIsGone(act: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || act(), parentCheckMs);
}
