import type { KeyRing } from "./key-ring.ts";

/** Pages of one kind: the account pages, or those of the built-in identity provider. */
export type Site = Readonly<{
  /** The only origin of accepted forms and of `next` addresses. */
  origin: string;
  /** Keys that sign the tokens inside forms. */
  formKeys: KeyRing<string>;
  /** The page that messages lead to. */
  home: string;
  /** The page after a sign-in without a destination. */
  afterSignIn: string;
  /** The path that a `next` address must be at or below; empty allows any. */
  root: string;
  /** Further origins that the redirects after a form may lead to. */
  formTargets: readonly string[];
}>;

export type PageRequest = Readonly<{
  site: Site;
  /** The part of a Fetch `Request` that pages read. The built-in provider makes it from a Koa context. */
  request: Readonly<{ method: string; headers: Headers; body: AsyncIterable<Uint8Array> | null }>;
  url: URL;
}>;

/** One request for a page with a form, or from one. */
export type FormRequest = PageRequest &
  Readonly<{
    /** The binding of form tokens: the session, or a stranger's browser. */
    holder: string;
    /** The owner of the page, if forms may be sent again after the session ended. */
    owner?: string;
    /** Shows a form of the owner whose token is too old, so that the owner can send it again. */
    askAgain?(form: URLSearchParams): Promise<Response>;
  }>;

export type PageHandler<Visit, Answer = Response> = (visit: Visit) => Answer | Promise<Answer>;
