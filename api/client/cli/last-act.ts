import type { Memory } from "./memory.ts";
import { type Completable, type CompletableType, typeOf } from "./things.ts";

/** The act that `kept undo` undoes. */
export type LastAct = Readonly<{
  act: "added" | "completed" | "edited" | "deleted";
  type: CompletableType;
  id: number;
  /** The time after the act; a later change by anybody has another one. */
  updated_at: string;
  /** The day of a habit's completion. */
  date?: string;
  /** The earlier values of everything that an edit changed. */
  before?: Readonly<Record<string, unknown>>;
}>;

/** Stores the act on a thing, given in its state afterwards. */
export function noteAct(
  memory: Memory,
  thing: Completable,
  done: Pick<LastAct, "act" | "date" | "before">,
): Promise<void> {
  const { id, updated_at } = thing;
  const act: LastAct = { ...done, type: typeOf(thing), id, updated_at };
  return memory.note("last-act", JSON.stringify(act));
}

export async function recallAct(memory: Memory): Promise<LastAct | undefined> {
  const text = await memory.recall("last-act");
  return text === undefined ? undefined : JSON.parse(text);
}
