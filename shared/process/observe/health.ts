/** The health of a process. `draining`: it still serves, but should get no more requests. */
export type Health = Readonly<{ status: "ok" | "unavailable" | "draining"; missing: string[] }>;

/**
 * A check for each dependency, which is missing if the answer is false, late or an error. It can name what else is
 * missing instead.
 */
type Checks = Readonly<Record<string, () => Promise<unknown>>>;

const patienceMs = 1_500;
const maxAgeMs = { atStart: 100, later: 1_000 };

/**
 * Checks what this process depends on, at most once a second, because anybody may ask: a front door's check costs a job
 * and a transaction. The first check is made at once, for the log.
 */
export function createHealthCheck(checks: Checks): () => Promise<Health> {
  let askAgainAt = Number.POSITIVE_INFINITY;
  let wasOk = false;
  const ask = async () => {
    const health = await checkAll(checks);
    wasOk ||= health.status === "ok";
    askAgainAt = performance.now() + (wasOk ? maxAgeMs.later : maxAgeMs.atStart);
    return health;
  };
  let latest = ask();
  return () => {
    if (performance.now() > askAgainAt) {
      askAgainAt = Number.POSITIVE_INFINITY;
      latest = ask();
    }
    return latest;
  };
}

async function checkAll(checks: Checks): Promise<Health> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = Bun.sleep(patienceMs).then(() => false);
      const answered = await Promise.race([check().catch(() => false), late]);
      if (namesMissing(answered)) return [answered.missing];
      return answered === false ? [name] : [];
    }),
  );
  const missing = answers.flat();
  return { status: missing.length === 0 ? "ok" : "unavailable", missing };
}

const namesMissing = (answer: unknown): answer is Readonly<{ missing: string }> =>
  typeof answer === "object" && answer !== null && "missing" in answer && typeof answer.missing === "string";
