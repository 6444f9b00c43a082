import type { Page } from "../../../support/identity/browser.ts";
import { cookieOf, type Person, type Site } from "../person.ts";

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

/** Opens a page and sends one of its forms; nothing when the page lacks that form. */
export async function submitOn(
  world: Assault,
  path: string,
  action: string,
  answers: Record<string, string>,
): Promise<void> {
  const page = await openPage(world, path);
  if (page?.forms.some((form) => form.action === action))
    await counted(world, world.account.account.submit(page, action, answers));
}

/** Sends a file to the page that imports, and confirms the preview. */
export async function upload(world: Assault, file: string): Promise<void> {
  const page = await openPage(world, "/account/data");
  const form = page?.forms.find(({ action }) => action === "/account/data/import");
  if (!form) return;
  const body = new FormData();
  for (const [name, value] of form.fields) if (name !== "files") body.append(name, value);
  body.append("files", new File([file], "kept.json", { type: "application/json" }));
  const cookie = cookieOf(world.account.account);
  const headers = { cookie, origin: world.site.baseUrl, accept: "text/html" };
  const shown = (await ask(world, form.action, { method: "POST", body, headers })) ?? "";
  const [import_id, parts, csrf] = ["import_id", "parts", "csrf"].map(
    (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(shown)?.[1],
  );
  if (!import_id || !parts || !csrf) return;
  const agreed = new URLSearchParams({ csrf, import_id, parts });
  await ask(world, `${form.action}/apply`, { method: "POST", body: agreed, headers });
}
