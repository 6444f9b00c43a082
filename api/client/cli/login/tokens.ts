import { fetchJson } from "./provider.ts";
import { alone, type Login, readLogin, writeLogin } from "./stored.ts";

type Fresh = Pick<Login, "access_token" | "expires_at"> & Readonly<{ refresh_token?: string }>;

/** A token is renewed this long before its end, so that no request arrives with an old one. */
const reserveMs = 60_000;

/** Asks the token endpoint, as a public client. */
export async function requestTokens(
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Fresh> {
  const body = new URLSearchParams(parameters);
  const { access_token, refresh_token, expires_in } = await fetchJson(endpoint, { method: "POST", body });
  return {
    access_token: String(access_token),
    expires_at: Date.now() + Number(expires_in ?? 3_600) * 1_000,
    ...(typeof refresh_token === "string" && { refresh_token }),
  };
}

/** The access token of the sign-in, renewed if it is about to end. */
export const currentToken = (env: NodeJS.ProcessEnv) => async (): Promise<string> => {
  const login = await readLogin(env);
  if (login && isFresh(login)) return login.access_token;
  return alone(env, async () => {
    // Another run may have renewed it meanwhile.
    const latest = await readLogin(env);
    if (latest && isFresh(latest)) return latest.access_token;
    const renewed = latest && (await renew(latest));
    if (!renewed) throw new Error("The sign-in has ended. Sign in again with kept login.");
    await writeLogin(env, renewed);
    return renewed.access_token;
  });
};

const isFresh = ({ expires_at }: Login): boolean => Date.now() < expires_at - reserveMs;

/** @returns undefined if the provider lets nothing be renewed */
async function renew(login: Login): Promise<Login | undefined> {
  const { refresh_token, client_id, resource, token_endpoint } = login;
  if (refresh_token === undefined) return undefined;
  const parameters = { grant_type: "refresh_token", refresh_token, client_id, resource };
  try {
    return { ...login, ...(await requestTokens(token_endpoint, parameters)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `The sign-in could not be renewed (${reason}). If it has ended, sign in again with kept login.`,
    );
  }
}
