import { parseArgs } from "node:util";
import type { Attack } from "./attack.ts";
import { accountsAttacks } from "./attacks/account.ts";
import { strangersAttacks } from "./attacks/stranger.ts";
import { newPerson } from "./person.ts";

/** The outcomes of each attack, with their counts. */
export type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const attacks: readonly Attack[] = [...strangersAttacks, ...accountsAttacks];

/** Runs all attacks until its parent says "stop", in a process of its own so that it delays no measurement. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { base: { type: "string" }, auth: { type: "string" }, only: { type: "string" } },
  });
  const site = { baseUrl: values.base ?? "", authUrl: values.auth ?? "" };
  const account = await newPerson(site, "203.0.113.7");
  const chosen = attacks.filter(({ name }) => !values.only || name.includes(values.only));
  let over = false;
  process.on("message", () => {
    over = true;
  });
  process.send?.("ready");
  const tally: Record<string, Record<string, number>> = {};
  await Promise.all(
    chosen.map(async ({ name, run }) => {
      const counts: Record<string, number> = {};
      tally[name] = counts;
      const count = (outcome: string | number) => {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      };
      await run({ site, account, isOver: () => over, count }).catch((error: Error) => count(error.message));
    }),
  );
  process.send?.(tally satisfies Tally);
  process.exit();
}

if (import.meta.main) await main();
