import { startRoles } from "../support/chaos/roles.ts";
import { percentile, seedReminders, startFloodReceiver } from "../support/flood.ts";
import { createDatabase, services } from "../support/servers/services.ts";

const users = 1_000;
const calmSeconds = 20;
const giveUpMs = 600_000;

type Run = Readonly<{ name: string; reminders: number; spreadMs: number; workers: number }>;

/** `npm run lab -- reminder-flood [100000]`: this many reminders, half of them of habits, are due in one second, all to one receiver on this machine. */
async function bench(reminders: number): Promise<void> {
  await measure({ name: "calm", reminders: 5_000, spreadMs: calmSeconds * 1_000, workers: 2 });
  await measure({ name: "flood", reminders, spreadMs: 1_000, workers: 2 });
}

async function measure({ name, reminders, spreadMs, workers }: Run): Promise<void> {
  const [databaseUrl, { redisUrl }] = await Promise.all([createDatabase(), services()]);
  const receiver = startFloodReceiver();
  // Habits ring at a whole minute.
  const dueAt = Math.ceil((Date.now() + 10_000 + reminders / 20) / 60_000) * 60_000;
  const perUser = Math.ceil(reminders / users);
  const habitsPerUser = Math.floor(perUser / 2);
  const remindersPerUser = perUser - habitsPerUser;
  await seedReminders(databaseUrl, {
    url: receiver.url,
    prefix: name,
    users,
    remindersPerUser,
    habitsPerUser,
    dueAt,
    spreadMs,
  });
  const expected = perUser * users;
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `bench-${name}`,
    WEBHOOK_ALLOW_LOOPBACK: "yes",
    LOG_LEVEL: "warn",
  };
  const roles = await startRoles({ env, apis: 0, workers });
  if (Date.now() > dueAt) throw new Error("The reminders were due before the workers were up.");
  while (receiver.things.size < expected && Date.now() < dueAt + giveUpMs) await Bun.sleep(50);
  await Bun.sleep(2_000);
  const latest = percentile(receiver.lateness, 1);
  const [p50, p99] = [0.5, 0.99].map((share) => (percentile(receiver.lateness, share) / 1_000).toFixed(2));
  const repeats = receiver.lateness.length - receiver.times.size;
  console.log(
    `${name}: ${receiver.things.size} of ${expected} delivered, ${repeats} repeats; ` +
      `${Math.round(expected / ((latest + spreadMs) / 1_000))} a second, ` +
      `lateness p50 ${p50} s, p99 ${p99} s, latest ${(latest / 1_000).toFixed(2)} s`,
  );
  await roles.stop();
  await receiver.stop();
}

await bench(Number(process.argv[2] ?? 100_000));
process.exit();
