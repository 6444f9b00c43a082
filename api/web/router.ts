import { message } from "./page.ts";
import { seeOther } from "./redirect.ts";
import type { PageHandler, PageRequest, Site } from "./site.ts";

/** The pages of one address, by method; HEAD is answered as GET. */
export type PageMethods<Visit, Answer = Response> = Readonly<{
  GET?: PageHandler<Visit, Answer>;
  POST?: PageHandler<Visit, Answer>;
}>;

/** Answers a request for an address that has these pages. */
export function answerByMethod<Visit extends PageRequest, Answer>(
  methods: PageMethods<Visit, Answer>,
  visit: Visit,
): Response | Answer | Promise<Answer> {
  const { method } = visit.request;
  const answer = method === "GET" || method === "HEAD" ? methods.GET : method === "POST" && methods.POST;
  if (answer) return answer(visit);
  const headers = { Allow: Object.keys(methods).join(", ") };
  const text = "This address does not take that method.";
  return message(visit.site, "That did not work", text, { status: 405, headers });
}

type SignIn<Guest, Visit> = Readonly<{
  /** The visit of the person signed in, if there is one. */
  find(guest: Guest): Promise<Visit | undefined>;
  /** The sign-in address that leads back to `next`; undefined if the request cannot be repeated. */
  address(guest: Guest, next: string | undefined): string;
  /**
   * Keeps a stranger's form during the sign-in.
   * @returns undefined when it cannot be kept
   */
  keepForm?(guest: Guest): Promise<Response | undefined>;
}>;

/** Makes `requireSignIn(page)`: a page for signed-in people, to which strangers return after the sign-in. */
export function createRequireSignIn<Guest extends PageRequest, Visit, Answer = Response>({
  find,
  address,
  keepForm,
}: SignIn<Guest, Visit>): (show: PageHandler<Visit, Answer>) => PageHandler<Guest, Answer | Response> {
  return (show) => async (guest) => {
    const visit = await find(guest);
    if (visit) return show(visit);
    const { request, url } = guest;
    const kept = request.method === "POST" && (await keepForm?.(guest));
    if (kept) return kept;
    const next = request.method === "GET" ? `${url.pathname}${url.search}` : undefined;
    return seeOther(address(guest, next));
  };
}

type MessageSite = Pick<Site, "formTargets" | "home">;

export const notFoundPage = (site: MessageSite): Response =>
  message(site, "Not found", "There is no page at this address.", { status: 404 });

/** The page for requests that fail because of a fault of the service. */
export const failurePage = (site: MessageSite): Response =>
  message(site, "Something is broken here", "It is not your fault. Try again in a moment.", {
    status: 503,
    headers: { "Retry-After": "5" },
  });
