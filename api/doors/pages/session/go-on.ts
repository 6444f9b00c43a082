import { safeNext } from "../../../web/redirect.ts";
import type { Site } from "../../../web/site.ts";
import type { PagesContext, Visit } from "./context.ts";

/** The page that a form leads back to, without parameters about earlier actions. */
export function hereWithoutNotes({ url }: Pick<Visit, "url">): string {
  const here = new URL(url);
  for (const name of ["note", "tick", "decided"]) here.searchParams.delete(name);
  return `${here.pathname}${here.search}`;
}

/** The address of a page of this site with one parameter set. */
export function withParameter(site: Site, page: string | null, name: string, value: string): string {
  const url = new URL(safeNext(site, page), site.origin);
  url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

/** The id in the path of a page about one thing, such as `/account/habits/7/edit`. */
export const idInPath = /(?<=\/)[1-9]\d{0,14}(?=\/|$)/;

/** The id in the path of a page whose address has `:id`. */
export const pathId = (url: URL): number => Number(idInPath.exec(url.pathname)?.[0]);

/**
 * The address that signs a person in and then leads to `next`; absolute, so that its cookie belongs to BASE_URL.
 * @param proof asks a person who is signed in to prove it again
 */
export function signInAddress(
  { config }: Pick<PagesContext, "config">,
  next: string,
  proof?: "fresh",
): string {
  return `${config.baseUrl}/account/sign-in?${new URLSearchParams({ next, ...(proof && { proof }) })}`;
}
