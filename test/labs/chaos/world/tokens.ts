import { type Browser, createBrowser } from "../../../support/identity/browser.ts";

const tokensPath = "/profile/api-tokens";

/** Personal tokens of new users, made on the identity provider's own pages. One user signs up after the other. */
export async function issueTokens(identityUrl: string, users: number, each: number): Promise<string[][]> {
  const issued: string[][] = [];
  while (issued.length < users) {
    const browser = await signUp(identityUrl);
    const tokens: string[] = [];
    while (tokens.length < each) tokens.push(await createToken(browser, `Client ${tokens.length}`));
    issued.push(tokens);
  }
  return issued;
}

async function signUp(identityUrl: string): Promise<Browser> {
  const browser = createBrowser(identityUrl);
  const page = await browser.open("/sign-up");
  const account = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery" };
  const answer = await browser.submit(page, "/sign-up", account);
  if (answer.status >= 400) throw new Error(`No account was made: ${answer.status} ${answer.text}`);
  return browser;
}

export async function createToken(browser: Browser, name: string): Promise<string> {
  const page = await browser.open(tokensPath);
  const made = await browser.submit(page, tokensPath, { name, days: "30", preset: "all" });
  const token = /class="secret">([^<]+)</.exec(made.text)?.[1];
  if (!token) throw new Error(`The identity provider gave no token: ${made.status} ${made.text}`);
  return token;
}
