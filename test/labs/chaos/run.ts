import { parseArgs } from "node:util";
import { runHostile } from "../hostile/run.ts";
import { runLab, wholeNumber } from "../terminal.ts";
import { type Options, runChaos } from "./chaos.ts";
import { controls } from "./controls.ts";
import { isGood, printReport } from "./report.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    acks: { type: "string", default: "10000" },
    faults: { type: "string", default: "50" },
    seconds: { type: "string" },
    control: { type: "string" },
    controls: { type: "boolean" },
    hostile: { type: "boolean" },
    only: { type: "string" },
  },
});
const seconds = values.seconds === undefined ? undefined : wholeNumber("seconds", values.seconds);

function readRuns(): Options[] {
  const seed = wholeNumber("seed", values.seed);
  const chosen = values.controls ? Object.keys(controls) : [values.control ?? []].flat();
  const unknown = chosen.filter((name) => !(name in controls));
  if (unknown.length > 0) throw new Error(`--control takes one of: ${Object.keys(controls).join(", ")}`);
  // A fault of the service that is always there shows within seconds.
  if (chosen.length > 0)
    return chosen.map((control) => ({ seed, control, acks: 0, faults: 0, seconds: seconds ?? 20 }));
  const goals = {
    acks: wholeNumber("acks", values.acks),
    faults: wholeNumber("faults", values.faults),
  };
  return [{ seed, ...goals, ...(seconds !== undefined && { seconds }) }];
}

async function runAll(): Promise<boolean> {
  let good = true;
  for (const options of readRuns()) {
    const result = await runChaos(options, (line) => console.error(line));
    printReport(result);
    good &&= isGood(result);
    const again = `npm run chaos -- --seed ${options.seed}`;
    if (options.control) console.log(isGood(result) ? "\nCaught, as it must be." : "\nNOT CAUGHT.");
    else console.log(isGood(result) ? "\nAll goals are reached." : `\nGoals are missed. Again: ${again}`);
  }
  return good;
}

/** `npm run chaos [-- --seed 7 --seconds 20 | --controls | --hostile]`; exit code 0 when every run, or every control, ends as it must. */
await runLab(() => (values.hostile ? runHostile(seconds, values.only) : runAll()));
