import { localCommand } from "../command-line.ts";
import { forgetLogin, readLogin } from "../login/stored.ts";

export const logoutCommand = localCommand({
  name: "logout",
  operands: "",
  summary: "revokes the tokens of the sign-in and forgets them",
  options: {},
  async run({ env, print }) {
    const login = await readLogin(env);
    if (!login) throw new Error("Nobody is signed in.");
    await forgetLogin(env);
    const { url, revocation_endpoint, client_id, refresh_token, access_token } = login;
    const isRevoked =
      revocation_endpoint !== undefined &&
      (await revoke(revocation_endpoint, { client_id, token: refresh_token ?? access_token }));
    if (!isRevoked)
      throw new Error(
        `Forgotten here, but not revoked at ${url}; end the app's connection on its page of tokens.`,
      );
    print(`Signed out of ${url}.`, { url });
  },
});

/** RFC 7009. The refresh token takes its access tokens with it. */
const revoke = (endpoint: string, parameters: Readonly<Record<string, string>>): Promise<boolean> =>
  fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(15_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
