import { message } from "../../../web/page.ts";

/** Addresses that programs call, and whose errors are JSON whoever asks. */
const forPrograms = /^\/(?:(?:api|mcp|health|\.well-known)(?:\/|$)|openapi\.json$|metrics$)/;

/** Whether a request is a person's: of a browser that wants to show a page, and not of an address for programs. */
export const isForPeople = ({ headers, url }: Request): boolean =>
  headers.get("accept")?.includes("text/html") === true && !forPrograms.test(new URL(url).pathname);

/** The page for people at addresses of the front door at which there is nothing. */
export const nothingHerePage = (): Response =>
  message({ home: "/", formTargets: [] }, "Not found", "There is no page at this address.", {
    status: 404,
    link: { href: "/", label: "Go to the first page" },
  });
