/** A figure of a run beside the one that was aimed at. */
export type Goal = Readonly<{ what: string; found: string; goal: string; ok: boolean }>;

export function printGoals(goals: readonly Goal[]): void {
  for (const { what, found, goal, ok } of goals)
    console.log(`${ok ? "reached" : "MISSED "}  ${what}: ${found} (goal: ${goal})`);
}

/** The value of an option, such as `--seconds 5`. @throws unless it is a whole number */
export function wholeNumber(name: string, value: string, least = 0): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least) return number;
  throw new Error(`--${name} must be a whole number from ${least}.`);
}

export async function currentCommit(): Promise<string> {
  const { stdout } = await Bun.$`git describe --always --dirty`.quiet().nothrow();
  return stdout.toString().trim() || "unknown";
}

/** Runs a lab, whose started processes end with this one. Its error is printed, and is exit code 1. */
export async function runLab(lab: () => Promise<boolean>): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  const isGood = await lab().catch((error: Error) => console.error(error.message));
  process.exit(isGood ? 0 : 1);
}
