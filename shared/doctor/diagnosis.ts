/** `look` can wait for working hours; `broken` means that a promise of the service fails. */
export const states = ["ok", "look", "broken"] as const;

/** A check's answer. */
export type Diagnosis = Readonly<{
  state: (typeof states)[number];
  says: string;
  /** The next step, unless all is well. */
  advice?: string;
}>;

export type Check = Readonly<{
  name: string;
  /** The check without which this one sees nothing. */
  needs?: string;
  /** It reads much, so it is made only for a person who asks. */
  isCostly?: true;
  look(): Promise<Diagnosis>;
}>;

export const ok = (says: string): Diagnosis => ({ state: "ok", says });
export const look = (says: string, advice: string): Diagnosis => ({ state: "look", says, advice });
export const broken = (says: string, advice: string): Diagnosis => ({ state: "broken", says, advice });

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** A server that takes longer counts as away. */
const patienceMs = 5_000;

/** Carries out the checks, those first that others need. */
export async function examine(checks: readonly Check[]): Promise<ReadonlyMap<string, Diagnosis>> {
  const asked = new Map<string, Promise<Diagnosis>>();
  for (const { name, needs, look: ask } of checks) asked.set(name, after(needs, asked, ask));
  const diagnoses = await Promise.all(
    [...asked].map(async ([name, diagnosis]) => [name, await diagnosis] as const),
  );
  return new Map(diagnoses);
}

async function after(
  needs: string | undefined,
  asked: ReadonlyMap<string, Promise<Diagnosis>>,
  ask: Check["look"],
) {
  const needed = needs === undefined ? undefined : await asked.get(needs);
  return needed?.state === "broken" ? look("unknown", `Mend ${needs} first.`) : inTime(ask);
}

async function inTime(ask: Check["look"]): Promise<Diagnosis> {
  const late = Bun.sleep(patienceMs).then(() => silent);
  return Promise.race([ask().catch(failed), late]);
}

const silent = broken(`no answer within ${patienceMs / 1_000} s`, "Look at the server and at the network.");
const failed = (error: unknown): Diagnosis => broken(reasonOf(error), "Look at the server and at its log.");

/** A refused connection to each of several addresses is an error without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
