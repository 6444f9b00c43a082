import type { Memory } from "./memory.ts";
import { type Completable, type CompletableType, typeOf } from "./things.ts";

/** What `kept undo` takes back. */
export type LastAct = Readonly<{
  act: "added" | "completed";
  type: CompletableType;
  id: number;
  /** As the act left it: whoever changed it since has another time. */
  updated_at: string;
  /** The day on which a habit was completed. */
  date?: string;
}>;

/** Notes what was done to a thing, which is as it was afterwards. */
export function noteAct(
  memory: Memory,
  thing: Completable,
  done: Pick<LastAct, "act" | "date">,
): Promise<void> {
  const { id, updated_at } = thing;
  const act: LastAct = { ...done, type: typeOf(thing), id, updated_at };
  return memory.note("last-act", JSON.stringify(act));
}

export async function recallAct(memory: Memory): Promise<LastAct | undefined> {
  const text = await memory.recall("last-act");
  return text === undefined ? undefined : JSON.parse(text);
}
