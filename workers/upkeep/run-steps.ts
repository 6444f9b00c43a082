/**
 * Runs the steps one after the other, each whatever became of those before it.
 * @throws Error that names the steps that failed, and why
 */
export async function runSteps(steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const failures: string[] = [];
  for (const [name, step] of Object.entries(steps))
    await step().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  if (failures.length > 0) throw new Error(failures.join("; "));
}
