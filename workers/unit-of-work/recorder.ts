import { seenTables } from "../../shared/domain/image-fields.ts";
import type { RowChange } from "../../shared/domain/images.ts";
import type { NoteRow, State } from "./state.ts";
import type { Entry, TableName } from "./table.ts";

/** Notes the rows that a command changes, as they were before it. */
type Recorder = Readonly<{
  noteFor(table: TableName): NoteRow;
  /** @returns the changes of what people can see since it was last asked */
  take(): RowChange[];
  /** Makes everything undone that changed since. */
  discard(): void;
}>;

type Noted = Readonly<{ table: TableName; place: string; entry: Entry<object> | undefined }>;

/** @param state that of the transaction, which has the rows as they are by now */
export function createRecorder(state: State): Recorder {
  let noted = new Map<string, Noted>();
  return {
    noteFor: (table) => (place, entry) => {
      const name = `${table} ${place}`;
      if (!noted.has(name)) noted.set(name, { table, place, entry });
    },
    take() {
      const changes = [...noted.values()].flatMap((one) => changeOf(state, one));
      noted = new Map();
      return changes;
    },
    discard() {
      for (const { table, place, entry } of noted.values()) {
        const entries: Map<string, Entry<object>> = state[table].entries as never;
        if (entry) entries.set(place, entry);
        else entries.delete(place);
      }
      noted = new Map();
    },
  };
}

function changeOf(state: State, { table: name, place, entry }: Noted): RowChange[] {
  const table = seenTables.find((one) => one === name);
  if (!table) return [];
  const [before, after] = [entry?.row, state[table].entries.get(place)?.row];
  const [, ...key] = place.split("\u0000");
  return before === after ? [] : [{ table, key, before, after }];
}
