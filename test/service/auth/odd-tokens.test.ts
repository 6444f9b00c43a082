import { expect, test } from "bun:test";
import { EncryptJWT, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { useStack } from "../../harness.ts";

const { rest, issuer, config } = await useStack();
const now = Math.floor(Date.now() / 1000);
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const good = await issuer.token();
const [header, payload, signature] = good.split(".") as [string, string, string];
const { kid } = issuer.publicKey();
const foreign = await generateKeyPair("ES256");
const rsa = await generateKeyPair("RS256");
const publicText = new TextEncoder().encode(JSON.stringify(issuer.publicKey()).padEnd(64));
const claims = issuer.claims();
const withClaims = (overrides: object) => () => issuer.token(overrides as Record<string, unknown>);
const withHeader = (overrides: object) => () => issuer.token({}, overrides as Record<string, unknown>);
const literally = (token: string) => async () => token;
const withHead = (head: object) => literally(`${base64url(JSON.stringify(head))}.${payload}.${signature}`);
const swapLast = (text: string) => text.slice(0, -2) + (text.endsWith("AA") ? "BB" : "AA");
const forged = (alg: string, key: Parameters<SignJWT["sign"]>[0], head = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg, kid: `${kid}`, ...head }).sign(key);
const ownKey = { kid: undefined, jwk: issuer.publicKey() };
const evesPayload = base64url(JSON.stringify({ ...claims, sub: "eve" }));
const encrypted = () =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(crypto.getRandomValues(new Uint8Array(32)));

/** Tokens that are forged, expired, meant for another service, or no tokens at all. */
const odd: [what: string, make: () => Promise<string>][] = [
  ["another issuer", withClaims({ iss: "https://elsewhere.example" })],
  ["the issuer with a slash more", withClaims({ iss: `${issuer.url}/` })],
  ["no issuer", withClaims({ iss: undefined })],
  ["another audience", withClaims({ aud: "https://elsewhere.example" })],
  ["an audience that only begins like Kept's", withClaims({ aud: `${config.baseUrl}.evil.example` })],
  ["no audience", withClaims({ aud: undefined })],
  ["an empty list of audiences", withClaims({ aud: [] })],
  ["an expiry that has passed", withClaims({ exp: now - 60 })],
  ["an expiry in text", withClaims({ exp: String(now + 60) })],
  ["no expiry", withClaims({ exp: undefined })],
  ["a start in the future", withClaims({ nbf: now + 600 })],
  ["a start in text", withClaims({ nbf: "now" })],
  ["no subject", withClaims({ sub: undefined })],
  ["an empty subject", withClaims({ sub: "" })],
  ["a numeric subject", withClaims({ sub: 5 })],
  ["a subject in a list", withClaims({ sub: ["ada"] })],
  ["an endless subject", withClaims({ sub: "x".repeat(256) })],
  ["a subject with a NUL", withClaims({ sub: "ada\u0000" })],
  ["a subject that is no well-formed text", withClaims({ sub: "ada\ud800" })],
  ["a nonce, as an ID token has", withClaims({ nonce: "n" })],
  ["an at_hash, as an ID token has", withClaims({ at_hash: "h" })],
  ["the type of a logout token", withHeader({ typ: "logout+jwt" })],
  ["the type of a proof of possession", withHeader({ typ: "dpop+jwt" })],
  ["an unknown key", withHeader({ kid: "unknown" })],
  ["a key address of its own", withHeader({ kid: "unknown", jku: "https://evil.example/jwks" })],
  ["an unknown algorithm in the header", withHead({ alg: "XX256" })],
  ["an unknown critical header", withHead({ alg: "ES256", kid, crit: ["x"] })],
  ["no algorithm, unsigned", literally(new UnsecuredJWT(claims).encode())],
  ["the algorithm None in capitals", literally(`${base64url('{"alg":"NONE"}')}.${payload}.`)],
  ["another key under our key's name", () => forged("ES256", foreign.privateKey)],
  ["another kind of key under our key's name", () => forged("RS256", rsa.privateKey)],
  ["our public key as a shared secret", () => forged("HS256", publicText)],
  ["its own key in the header", () => forged("ES256", foreign.privateKey, ownKey)],
  ["encryption instead of a signature", encrypted],
  ["a changed claim", literally(`${header}.${evesPayload}.${signature}`)],
  ["a changed signature", literally(`${header}.${payload}.${swapLast(signature)}`)],
  ["a signature cut short", literally(`${header}.${payload}.${signature.slice(0, -8)}`)],
  ["no signature", literally(`${header}.${payload}.`)],
  ["two parts only", literally(`${header}.${payload}`)],
  ["an empty payload", literally(`${header}..${signature}`)],
  ["a fourth part", literally(`${good}.${signature}`)],
  ["padding", literally(`${good}==`)],
  ["a dot at the end", literally(`${good}.`)],
  ["plain base64 letters", literally(`${good.slice(0, -1)}+`)],
  ["a payload that is no JSON", () => issuer.sign("not json")],
  ["a payload that is a list", () => issuer.sign("[]")],
  ["a payload that is null", () => issuer.sign("null")],
  ["a header that is no JSON", literally(`${base64url("x")}.${payload}.${signature}`)],
  ["three letters", literally("a.b.c")],
  ["one word", literally("x")],
  ["9,000 letters", literally("x".repeat(9_000))],
  ["percent encoding", literally(encodeURIComponent(`${good} `))],
];

/** A message to /mcp. */
const message = (token: string, method: string, params?: object) =>
  fetch(`${config.baseUrl}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

test.each(odd)("a token with %s is refused on both transports", async (_, make) => {
  const token = await make();
  const answer = await rest("GET", "/todos", { token });
  expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
  expect(answer.headers.get("www-authenticate")).toEndWith(`, error="invalid_token"`);
  const mcp = await message(token, "tools/list");
  expect(mcp.status).toBe(401);
  expect(mcp.headers.get("www-authenticate")).toContain("/.well-known/oauth-protected-resource/mcp");
});

test.each([
  ["as usual", crypto.randomUUID()],
  ["too long to be a key", Buffer.from(crypto.getRandomValues(new Uint8Array(2_000))).toString("hex")],
  ["not printable", "id\u0000\ud800"],
])("a token whose id is %s works on both transports", async (_, jti) => {
  const token = await issuer.token({ jti });
  expect((await rest("GET", "/todos", { token })).status).toBe(200);
  const call = await message(token, "tools/call", { name: "get-today-habits", arguments: {} });
  expect(await call.json()).toMatchObject({ result: { structuredContent: { habits: [] } } });
});
