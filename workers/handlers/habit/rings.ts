import type { HabitRow } from "../../../shared/db/entities.ts";
import type { Unsigned } from "../../../shared/domain/author.ts";
import type { OwnRows } from "../../unit-of-work/state.ts";
import type { HandlerContext } from "../handler.ts";
import { ringsAfterChange } from "./next-ring.ts";

export const noRings = { rings_at: null, rang_on: null, delivery_id: null };

type Clock = Pick<HandlerContext, "today" | "dayStartHour" | "acceptedAt">;

/** Plans a habit's next ring whenever a handler writes the habit, because completions, rules and pauses decide it. */
export function withRings(rows: OwnRows<HabitRow>, clock: Clock): OwnRows<HabitRow> {
  const rings = (row: Unsigned<HabitRow>, before?: HabitRow) => {
    if (row.remind_at == null && row.rings_at == null) return undefined;
    const rules = { timeZone: clock.today.timeZone, dayStartHour: clock.dayStartHour };
    return ringsAfterChange(row, before, rules, clock.acceptedAt);
  };
  return {
    ...rows,
    insert: (row) => rows.insert({ ...row, ...rings(row) }),
    update: (row, patch) => rows.update(row, { ...patch, ...rings({ ...row, ...patch }, row) }),
  };
}
