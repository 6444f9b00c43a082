import { parseArgs } from "node:util";
import { wholeNumber } from "../terminal.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

export type Options = Readonly<{
  seconds: number;
  /** The best round counts, for the service and its limit alike, because a busy machine only slows down. */
  rounds: number;
  /** Each number is measured by itself. */
  connections: readonly number[];
  users: number;
  chosen: readonly Scenario[];
  /** Compares with this commit in turns, and measures nothing else. */
  against: string | undefined;
  /** Measures what `npm start` starts, with opaque tokens of the built-in identity provider. */
  builtIn: boolean;
  /** Prints the figures as one line of JSON too. */
  json: boolean;
}>;

/**
 * Reads `-- --seconds 5 --rounds 1 --connections 1,48,256 --users 1000 --only create,list --json` and one of
 * `--against COMMIT` and `--built-in`.
 * @throws on an unknown option
 */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "1" },
      connections: { type: "string", default: "48" },
      users: { type: "string", default: "1000" },
      only: { type: "string" },
      against: { type: "string" },
      "built-in": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const { against, "built-in": builtIn, json } = values;
  const names = scenarios.map(({ name }) => name);
  const only = values.only?.split(",") ?? names;
  if (only.some((name) => !names.includes(name))) throw new Error(`--only takes of: ${names.join(", ")}`);
  const positive = (name: string, value: string) => wholeNumber(name, value, 1);
  return {
    ...{ against, builtIn, json },
    seconds: positive("seconds", values.seconds),
    rounds: positive("rounds", values.rounds),
    connections: values.connections.split(",").map((count) => positive("connections", count)),
    users: positive("users", values.users),
    chosen: scenarios.filter(({ name }) => only.includes(name)),
  };
}

type ChosenRun = Readonly<{ scenario: Scenario; connections: number }>;

/** Every chosen scenario with every number of connections. */
export const runsOf = ({ chosen, connections }: Options): ChosenRun[] =>
  chosen.flatMap((scenario) => connections.map((count) => ({ scenario, connections: count })));
