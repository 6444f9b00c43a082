import { afterAll, expect, test } from "bun:test";
import { basicAuthorization, connectionPath } from "../../../api/auth/identity-client.ts";
import { createRevocation } from "../../../api/auth/revocation.ts";
import {
  connect,
  registerApp,
  serviceClient,
  signedUp,
  startTestIdentity,
} from "../../support/identity/support.ts";

const identity = await startTestIdentity();
const { config } = identity;
const client = await serviceClient(config);
afterAll(() => identity.stop());

/** An app that a new person has connected. */
async function connected() {
  const clientId = await registerApp(config);
  const { access_token, refresh_token } = await connect(config, await signedUp(config), {
    clientId,
    scope: "todos:write",
  });
  const { sub, jti } = await identity.introspect(access_token);
  return { access_token, refresh_token, userId: String(sub), tokenId: String(jti) };
}

const isActive = async (token: string) => (await identity.introspect(token)).active;

const end = (userId: string, tokenId: string, headers: Record<string, string>, method = "DELETE") =>
  fetch(`${config.authUrl}${connectionPath(userId, tokenId)}`, { method, headers });

test("nobody but the service can end somebody's connection by its id", async () => {
  const { access_token, userId, tokenId } = await connected();
  const strangers = [{}, { authorization: `Bearer ${access_token}` }];
  const guesses = [
    { ...client, secret: "guess" },
    { ...client, id: "personal-access-tokens", secret: "" },
  ];
  for (const headers of [...strangers, ...guesses.map((one) => ({ authorization: basicAuthorization(one) }))])
    expect((await end(userId, tokenId, headers)).status).toBe(401);
  const credentials = { authorization: basicAuthorization(client) };
  expect((await end(userId, tokenId, credentials, "POST")).status).toBe(404);
  expect((await end(userId, "..%00", credentials)).status).toBe(404);
  expect(await isActive(access_token)).toBe(true);
});

test("the service ends a person's connection with all its tokens, and no other person's", async () => {
  const [mine, theirs] = [await connected(), await connected()];
  const revoked: object[] = [];
  const revokeToken = createRevocation(config, client, (token) => revoked.push(token));
  expect(await revokeToken?.({ ...mine, userId: theirs.userId })).toBe(true);
  expect(await isActive(mine.access_token)).toBe(true);
  expect(revoked).not.toContain(mine);

  for (const _ of ["once", "twice"]) expect(await revokeToken?.(mine)).toBe(true);
  expect(await isActive(mine.access_token)).toBe(false);
  expect(await isActive(theirs.access_token)).toBe(true);
  expect(revoked.slice(1)).toEqual([mine, mine]);
});

test("a token that could not be revoked is not taken for revoked", async () => {
  const token = await connected();
  const revoked: object[] = [];
  const note = (one: object) => revoked.push(one);
  for (const revokeToken of [
    createRevocation({ ...config, authInternalUrl: "http://127.0.0.1:9" }, client, note),
    createRevocation(config, { ...client, secret: "an older one" }, note),
  ])
    expect(await revokeToken?.(token)).toBe(false);
  expect(revoked).toEqual([]);
  expect(createRevocation({ ...config, builtInIdentity: false }, client, note)).toBeUndefined();
});
