import { readLogin } from "./stored.ts";
import { currentToken } from "./tokens.ts";

export type Access = Readonly<{
  url: string;
  token: string | (() => Promise<string>);
  /** The same for all runs with this token or sign-in. */
  owner: string;
}>;

export const addressIn = ({ KEPT_URL }: NodeJS.ProcessEnv): string | undefined =>
  KEPT_URL ? KEPT_URL.replace(/\/+$/, "") : undefined;

export const defaultAddress = "http://localhost:3000";

/** The token of the environment, or else the sign-in, unless that is for another address. */
export async function openAccess(env: NodeJS.ProcessEnv): Promise<Access | undefined> {
  const given = addressIn(env);
  const { KEPT_TOKEN: token } = env;
  if (token) return { url: given ?? defaultAddress, token, owner: token };
  const login = await readLogin(env);
  if (!login || (given !== undefined && given !== login.url)) return undefined;
  return { url: login.url, token: currentToken(env), owner: login.client_id };
}
