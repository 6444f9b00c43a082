import { SQL } from "bun";
import type { Figure, Row } from "./figure.ts";
import { heldRows, holdBeside } from "./held-rows.ts";
import { msAt, succeeded, tally, times } from "./samples.ts";
import { onStage } from "./stage.ts";

const seconds = 4;

/** Measures the effect of a held row on everybody else. */
export const held: Figure = () =>
  onStage({ apis: 2, workers: 2 }, async (stage) => {
    const holder = new SQL(stage.env.DATABASE_URL ?? "", { max: 1 });
    const rows: Row[] = [];
    for (const row of heldRows) {
      const options = { holder, bystanders: 40, pauseMs: 50, seconds };
      const { bystanders, owners } = await holdBeside(stage, row, options);
      rows.push({
        figure: `a row held for ${seconds} s: ${row.name}`,
        goal: "bystanders 100 % 2xx, p99 ≤ 150 ms",
        measured: `${tally(bystanders)}, ${times(bystanders)} (its owner: ${tally(owners)})`,
        ok: bystanders.every(succeeded) && msAt(bystanders, 0.99) <= 150,
      });
    }
    await holder.close();
    return rows;
  });
