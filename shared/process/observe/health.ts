/** The health of a process. `draining`: it still serves, but should get no more requests. */
export type Health = Readonly<{ status: "ok" | "unavailable" | "draining"; missing: string[] }>;

/**
 * A check for each dependency, which is missing if the answer is false, late or an error. It can name what else is
 * missing instead.
 */
type Checks = Readonly<Record<string, () => Promise<unknown>>>;

const patienceMs = 1_500;
const maxAgeMs = 1_000;

/**
 * Checks what this process depends on, at most once a second, because anybody may ask. A front door's check costs a job
 * and a transaction.
 */
export function createHealthCheck(checks: Checks): () => Promise<Health> {
  let latest: Promise<Health> | undefined;
  let since = 0;
  return () => {
    if (!latest || performance.now() - since > maxAgeMs) {
      since = Number.POSITIVE_INFINITY;
      latest = checkAll(checks).finally(() => {
        since = performance.now();
      });
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
