import { parseArgs } from "node:util";
import { type ControlName, controlNames } from "./controls.ts";

export type Options = Readonly<{
  seed: number;
  /** The run ends when that many writes are acknowledged and that many disturbances are over, */
  acks: number;
  faults: number;
  /** If set, the run ends after this many seconds at the latest. */
  seconds?: number;
  control?: ControlName;
}>;

/** Reads `--seed 7 --seconds 20 --acks 10000 --faults 50 --control NAME`, or `--controls` for all of them. */
export function readOptions(args: readonly string[]): Options[] {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
      acks: { type: "string", default: "10000" },
      faults: { type: "string", default: "50" },
      seconds: { type: "string" },
      control: { type: "string" },
      controls: { type: "boolean", default: false },
    },
  });
  const seed = positive("seed", values.seed);
  if (values.controls) return controlNames.map((control) => controlRun(seed, control));
  if (values.control !== undefined) return [controlRun(seed, knownControl(values.control))];
  const goals = { acks: positive("acks", values.acks), faults: positive("faults", values.faults) };
  const seconds = values.seconds === undefined ? {} : { seconds: positive("seconds", values.seconds) };
  return [{ seed, ...goals, ...seconds }];
}

/** A fault of the service that is always there shows within seconds. */
const controlRun = (seed: number, control: ControlName): Options => ({
  seed,
  control,
  acks: 0,
  faults: 0,
  seconds: 20,
});

function knownControl(name: string): ControlName {
  const found = controlNames.find((known) => known === name);
  if (!found) throw new Error(`--control takes one of: ${controlNames.join(", ")}`);
  return found;
}

function positive(name: string, value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new Error(`--${name} must be a whole number.`);
}
