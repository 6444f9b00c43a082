/** A figure of a run beside the one that was aimed at. */
export type Goal = Readonly<{ what: string; found: string; goal: string; ok: boolean }>;

export function printGoals(goals: readonly Goal[]): void {
  for (const { what, found, goal, ok } of goals)
    console.log(`${ok ? "reached" : "MISSED "}  ${what}: ${found} (goal: ${goal})`);
}
