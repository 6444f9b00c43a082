import type { Outcome } from "./restored.ts";

export function conflictFaults(_: Outcome): string[] {
  return [];
}
