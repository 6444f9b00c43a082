import type { Page } from "../../../support/identity/browser.ts";
import { type Assault, ask } from "../attack.ts";
import { cookieOf } from "../person.ts";

/** Opens an account page of the free account. */
export async function openPage(world: Assault, path: string): Promise<Page | undefined> {
  const page = await world.account.account.open(path).catch(() => undefined);
  world.count(page?.status ?? "no answer");
  return page;
}

/** Sends a form of a page; nothing when the page lacks that form. */
export async function submit(
  world: Assault,
  page: Page,
  action: string,
  answers: Record<string, string>,
): Promise<Page | undefined> {
  if (!page.forms.some((form) => form.action === action)) return undefined;
  const answer = await world.account.account.submit(page, action, answers).catch(() => undefined);
  world.count(answer?.status ?? "no answer");
  return answer;
}

/** Sends a file to the page that imports, and confirms the preview. */
export async function upload(world: Assault, file: string): Promise<void> {
  const { account } = world.account;
  const form = (await openPage(world, "/account/data"))?.forms.find(
    ({ action }) => action === "/account/data/import",
  );
  if (!form) return;
  const body = new FormData();
  for (const [name, value] of form.fields) if (name !== "files") body.append(name, value);
  body.append("files", new File([file], "kept.json", { type: "application/json" }));
  const headers = { cookie: cookieOf(account), origin: world.site.baseUrl, accept: "text/html" };
  const address = `${world.site.baseUrl}${form.action}`;
  const shown = (await ask(world, address, { method: "POST", body, headers })) ?? "";
  const id = /name="import_id" value="([^"]+)"/.exec(shown)?.[1];
  const parts = /name="parts" value="(\d+)"/.exec(shown)?.[1];
  const csrf = /name="csrf" value="([^"]+)"/.exec(shown)?.[1];
  if (!id || !parts || !csrf) return;
  const agreed = new URLSearchParams({ csrf, import_id: id, parts });
  await ask(world, `${address}/apply`, { method: "POST", body: agreed, headers });
}
