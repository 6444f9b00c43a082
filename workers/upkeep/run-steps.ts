/**
 * Runs the steps one after the other; a failed step stops none.
 * @throws Error that names the failed steps and their reasons
 */
export async function runSteps(steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const failures: string[] = [];
  for (const [name, step] of Object.entries(steps))
    await step().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  if (failures.length > 0) throw new Error(failures.join("; "));
}
