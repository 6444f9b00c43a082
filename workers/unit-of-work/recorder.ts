import { type RowChange, type SeenTable, seenTables } from "../../shared/domain/images.ts";
import type { NoteRow, State } from "./state.ts";

/** Notes the rows that a command changes, as they were before it. */
type Recorder = Readonly<{
  noteFor(table: SeenTable): NoteRow;
  /** @returns the changes since it was last asked */
  take(): RowChange[];
}>;

/** @param state that of the transaction, which has the rows as they are by now */
export function createRecorder(state: State): Recorder {
  const noted = new Map(seenTables.map((table) => [table, new Map<string, object | undefined>()]));
  return {
    noteFor: (table) => (place, row) => {
      const rows = noted.get(table);
      if (rows && !rows.has(place)) rows.set(place, row);
    },
    take() {
      const changes = [...noted].flatMap(([table, rows]) =>
        [...rows].map(([place, before]): RowChange => {
          const [, ...key] = place.split("\u0000");
          return { table, key, before, after: state[table].entries.get(place)?.row };
        }),
      );
      for (const rows of noted.values()) rows.clear();
      return changes.filter(({ before, after }) => before !== after);
    },
  };
}
