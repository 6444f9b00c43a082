import type { SeenTable } from "../../shared/domain/image-fields.ts";
import type { RowChange } from "../../shared/domain/images.ts";
import type { NoteRow, State } from "./state.ts";

/** Notes the rows that a command changes, as they were before it. */
type Recorder = Readonly<{
  noteFor(table: SeenTable): NoteRow;
  /** @returns the changes since it was last asked */
  take(): RowChange[];
}>;

type Noted = Readonly<{ table: SeenTable; place: string; before: object | undefined }>;

/** @param state that of the transaction, which has the rows as they are by now */
export function createRecorder(state: State): Recorder {
  let noted = new Map<string, Noted>();
  return {
    noteFor: (table) => (place, before) => {
      const name = `${table} ${place}`;
      if (!noted.has(name)) noted.set(name, { table, place, before });
    },
    take() {
      const changes = [...noted.values()].map(({ table, place, before }): RowChange => {
        const [, ...key] = place.split("\u0000");
        return { table, key, before, after: state[table].entries.get(place)?.row };
      });
      noted = new Map();
      return changes.filter(({ before, after }) => before !== after);
    },
  };
}
