import { type Browser, createBrowser } from "../../../support/identity/browser.ts";

const tokensPath = "/profile/api-tokens";

/** Personal tokens of new users, made on the identity provider's own pages. */
export function issueTokens(identityUrl: string, users: number, each: number): Promise<string[][]> {
  return Promise.all(
    Array.from({ length: users }, async () => {
      const browser = await signUp(identityUrl);
      const tokens: string[] = [];
      while (tokens.length < each) tokens.push(await createToken(browser, `Client ${tokens.length}`));
      return tokens;
    }),
  );
}

async function signUp(identityUrl: string): Promise<Browser> {
  const browser = createBrowser(identityUrl);
  const page = await browser.open("/sign-up");
  const account = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery" };
  await browser.submit(page, "/sign-up", account);
  return browser;
}

export async function createToken(browser: Browser, name: string): Promise<string> {
  const page = await browser.open(tokensPath);
  const made = await browser.submit(page, tokensPath, { name, days: "30", preset: "all" });
  const token = /class="secret">([^<]+)</.exec(made.text)?.[1];
  if (!token) throw new Error(`The identity provider gave no token: ${made.status} ${made.text}`);
  return token;
}
