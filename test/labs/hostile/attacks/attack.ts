import type { Page } from "../../../support/identity/browser.ts";
import type { Person, Site } from "../person.ts";

/** An action that one stranger or one free account repeats until the run ends. */
export type Attack = (world: Assault) => Promise<void>;

export type Assault = Readonly<{
  site: Site;
  /** The free account. */
  account: Person;
  isOver(): boolean;
  /** Counts an outcome, such as a status, for the report. */
  count(outcome: string | number): void;
}>;

const patienceMs = 15_000;

/** @returns the answer's text; undefined, and counted, if there was none */
export async function ask(
  world: Assault,
  address: string,
  init: RequestInit = {},
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const url = new URL(address, world.site.baseUrl);
    const response = await fetch(url, { redirect: "manual", signal, ...init });
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
  const all = Array.from({ length: loops }, async (_, loop) => {
    await Bun.sleep((pauseMs * loop) / loops);
    while (!isOver()) {
      await turn(loop);
      await Bun.sleep(pauseMs);
    }
  });
  await Promise.all(all);
}

/** A page that the free account opens or gets for a form; undefined if there is none. */
async function counted({ count }: Assault, opening: Promise<Page>): Promise<Page | undefined> {
  const page = await opening.catch(() => undefined);
  count(page?.status ?? "no answer");
  return page;
}

export const openPage = (world: Assault, path: string): Promise<Page | undefined> =>
  counted(world, world.account.account.open(path));

/** Sends a form of a page; nothing when the page lacks it. */
export async function submitOn(
  world: Assault,
  page: Page | undefined,
  action: string,
  answers: Record<string, string | File> = {},
): Promise<Page | undefined> {
  if (!page?.forms.some((form) => form.action === action)) return undefined;
  return counted(world, world.account.account.submit(page, action, answers));
}

/** Sends a file to the page that imports, and confirms the preview. */
export async function upload(world: Assault, file: string): Promise<void> {
  const [data, action] = [await openPage(world, "/account/data"), "/account/data/import"];
  const shown = await submitOn(world, data, action, { files: new File([file], "kept.json") });
  await submitOn(world, shown, `${action}/apply`);
}
