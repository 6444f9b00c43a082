import { createRemoteJWKSet, jwtVerify } from "jose";

const keys = createRemoteJWKSet(new URL(`${process.env.AUTH_URL}/jwks`));
const users = new Map();

/** Checks a token once, then remembers its user. */
export async function userOf(authorization = "") {
  const token = authorization.slice("Bearer ".length);
  const known = users.get(token);
  if (known) return known;
  const { payload } = await jwtVerify(token, keys);
  users.set(token, payload.sub);
  return payload.sub;
}
