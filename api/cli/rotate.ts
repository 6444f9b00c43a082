import { toRun } from "../../shared/process/to-run.ts";
import { type RotationStep, rotateSecrets, rotationSteps } from "../identity/accounts/keys.ts";
import { runCommand, withRunningDatabase } from "./running.ts";

const restart = "Now restart all front doors and workers";
const done: Readonly<Record<RotationStep, string>> = {
  prepare: `New keys were made; nothing uses them yet. ${restart}, then: ${toRun("rotate switch")}`,
  switch: `The new keys are used, and the old ones accepted. ${restart}, then, twelve hours later: ${toRun("rotate finish")}`,
  finish: `The old keys are gone. ${restart}, after which their signatures are refused.`,
};

/** Replaces the keys and secrets that the database of a running Kept keeps, in three steps. */
await runCommand(async () => {
  const [given] = process.argv.slice(2);
  const step = rotationSteps.find((name) => name === given);
  if (!step) throw new Error(`One of these is wanted: ${rotationSteps.join(", ")}. See docs/rotation.md.`);
  const due = await withRunningDatabase("rotate", ({ pool }) => rotateSecrets(pool, step));
  if (due) throw new Error(`Nothing was changed. The next step is: ${toRun(`rotate ${due}`)}`);
  console.log(done[step]);
});
