import { formToken } from "./form.ts";
import { html } from "./html.ts";
import type { Layout, NavLink } from "./layout.ts";
import type { FormRequest } from "./site.ts";

/** The frame of a signed-in page: where one can go, and a button that signs out by a POST to `signOutPath`. */
export function frame(
  visit: Pick<FormRequest, "site" | "holder">,
  nav: readonly NavLink[],
  signOutPath: string,
): Pick<Layout, "nav" | "corner"> {
  const corner = html`<form method="post" action="${signOutPath}">${formToken(visit)}
      <button class="link">Sign out</button></form>`;
  return { nav, corner };
}
