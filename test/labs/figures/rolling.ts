import { restartUnderLoad } from "../../support/chaos/rolling.ts";
import type { Figure } from "./figure.ts";

const rounds = 3;

/** All roles are stopped and restarted one at a time, while 50 requests a second come in. */
export const rolling: Figure = async () => {
  const { requests, failed, made, stored } = await restartUnderLoad(rounds);
  const kinds = Object.entries(failed).map(([kind, count]) => `${count} × ${kind}`);
  const lost = made + 1 - stored;
  return [
    {
      figure: `rolling restart of two front doors, workers and identity providers, ${rounds} times`,
      goal: "0 failed requests, 0 lost or doubled todos",
      measured: `${kinds.join(", ") || 0} of ${requests}, ${Math.abs(lost)}`,
      ok: kinds.length === 0 && lost === 0 && requests > 0,
    },
  ];
};
