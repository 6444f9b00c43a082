import { message } from "../../../web/page.ts";

/** Programs call these addresses and always get errors as JSON. */
const forPrograms = /^\/(?:(?:api|mcp|health|\.well-known)(?:\/|$)|openapi\.json$|metrics$)/;

/** True for a browser that wants a page, unless the address is for programs. */
export const isForPeople = ({ headers, url }: Request): boolean =>
  headers.get("accept")?.includes("text/html") === true && !forPrograms.test(new URL(url).pathname);

/** The 404 page for people. */
export const nothingHerePage = (): Response =>
  message({ home: "/", formTargets: [] }, "Not found", "There is no page at this address.", {
    status: 404,
    link: { href: "/", label: "Go to the first page" },
  });
