import { readHostileOptions, runHostile } from "../hostile/run.ts";
import { runChaos } from "./chaos.ts";
import { type Options, readOptions } from "./options.ts";
import { isGood, printReport } from "./report.ts";

/** `npm run chaos [-- --seed 7 --seconds 20 | --hostile]`; exit code 0 when every run, or every control, ends as it must. */
async function main(runs: readonly Options[]): Promise<boolean> {
  let good = true;
  for (const options of runs) {
    const result = await runChaos(options, (line) => console.error(line));
    printReport(result);
    good &&= isGood(result);
    const again = `npm run chaos -- --seed ${options.seed}`;
    if (options.control) console.log(isGood(result) ? "\nCaught, as it must be." : "\nNOT CAUGHT.");
    else console.log(isGood(result) ? "\nAll goals are reached." : `\nGoals are missed. Again: ${again}`);
  }
  return good;
}

try {
  const args = process.argv.slice(2);
  const hostile = readHostileOptions(args);
  process.exitCode = (await (hostile ? runHostile(hostile) : main(readOptions(args)))) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
process.exit();
