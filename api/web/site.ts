import type { KeyRing } from "./key-ring.ts";

/** The pages of one origin: the account pages, or those of the built-in identity provider. */
export type Site = Readonly<{
  /** The only origin from which forms are taken, and to which a `next` address may lead. */
  origin: string;
  /** Sign the tokens inside forms. */
  formKeys: KeyRing<string>;
  /** The page to which messages lead. */
  home: string;
  /** Where a sign-in leads that was not on the way to another page. */
  afterSignIn: string;
  /** The path at or below which a `next` address must be; empty when it may be any. */
  root: string;
  /** Further origins to which the redirects after a form may lead. */
  formTargets: readonly string[];
}>;

/** One request for a page. */
export type PageRequest = Readonly<{
  site: Site;
  /** What pages read of a Fetch `Request`. The identity provider makes the same of a Koa context. */
  request: Readonly<{ method: string; headers: Headers; body: AsyncIterable<Uint8Array> | null }>;
  url: URL;
}>;

/** One request for a page with a form, or from one. */
export type FormRequest = PageRequest &
  Readonly<{
    /** What the tokens of its forms are bound to: the session, or a stranger's browser. */
    holder: string;
    /** Whose page it is, where forms may be sent again after the session has ended. */
    owner?: string;
    /** Answers a form of the owner whose token is too old: shows what was sent, to be sent once more. */
    askAgain?(form: URLSearchParams): Promise<Response>;
  }>;

export type PageHandler<Visit> = (visit: Visit) => Response | Promise<Response>;
