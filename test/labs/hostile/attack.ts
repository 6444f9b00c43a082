import type { Person, Site } from "./person.ts";

/** An action that one stranger or one free account repeats until the run ends. */
export type Attack = Readonly<{ name: string; run(world: Assault): Promise<void> }>;

export type Assault = Readonly<{
  site: Site;
  /** The free account. */
  account: Person;
  isOver(): boolean;
  /** Counts an outcome, such as a status, for the report. */
  count(outcome: string | number): void;
}>;

/** The stranger has no account, and one network. */
export const strangersNetwork = "203.0.113.66";

const patienceMs = 15_000;

/** @returns the answer's text; undefined, and counted, if there was none */
export async function ask(
  world: Assault,
  address: string,
  init: RequestInit = {},
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(address, { redirect: "manual", signal, ...init });
    const text = await response.text();
    world.count(response.status);
    return text;
  } catch {
    world.count("no answer");
    return undefined;
  }
}

/** Runs `turn` in so many loops at once, with a pause after each turn. */
export async function inLoops(
  { isOver }: Assault,
  loops: number,
  pauseMs: number,
  turn: (loop: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      await Bun.sleep((pauseMs * loop) / loops);
      while (!isOver()) {
        await turn(loop);
        await Bun.sleep(pauseMs);
      }
    }),
  );
}
