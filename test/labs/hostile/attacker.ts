import { accountsAttacks } from "./attacks/account.ts";
import type { Attack } from "./attacks/attack.ts";
import { strangersAttacks } from "./attacks/stranger.ts";
import { newPerson } from "./person.ts";

/** The outcomes of each attack, with their counts. */
export type Tally = Record<string, Record<string, number>>;

/** Runs the attacks whose names have these words until its parent says "stop", in a process of its own. */
async function main([baseUrl = "", authUrl = "", only = ""]: readonly string[]): Promise<void> {
  const site = { baseUrl, authUrl };
  const account = await newPerson(site, "203.0.113.7");
  const attacks: Record<string, Attack> = { ...strangersAttacks, ...accountsAttacks };
  const chosen = Object.entries(attacks).filter(([name]) => name.includes(only));
  let over = false;
  process.on("message", () => {
    over = true;
  });
  process.send?.("ready");
  const tally: Tally = {};
  const running = chosen.map(async ([name, run]) => {
    const counts: Record<string, number> = {};
    tally[name] = counts;
    const count = (outcome: string | number) => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    };
    await run({ site, account, isOver: () => over, count }).catch((error: Error) => count(error.message));
  });
  await Promise.all(running);
  process.send?.(tally);
  process.exit();
}

if (import.meta.main) await main(process.argv.slice(2));
