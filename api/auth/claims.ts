import { isScope } from "../../shared/contracts/kernel/scopes.ts";
import { printable } from "../http/input.ts";
import type { Actor } from "../mailbox/actor.ts";

/** Claims of a verified JWT or of an active introspection answer: the names are the same (RFC 9068, RFC 7662). */
export type Claims = Readonly<Record<string, unknown>>;

/** Finds the claims of a token that is valid now, for this service. */
export type FindClaims = (token: string, tokenHash: string) => Promise<Claims | undefined>;

/** @returns undefined when the claims name no user */
export function actorOf(claims: Claims, tokenHash: string): Actor | undefined {
  const { sub, jti, iat, zoneinfo } = claims;
  if (!isKey(sub)) return undefined;
  return {
    userId: sub,
    tokenId: isKey(jti) ? jti : tokenHash,
    clientName: nameIn(claims),
    scopes: scopesOf(claims),
    zone: typeof zoneinfo === "string" && isPast(iat) ? { name: zoneinfo, issuedAt: iat } : undefined,
  };
}

const clockToleranceSeconds = 60;

/** `iat` orders a user's tokens. A future one would outrank all later tokens, and some values are not dates. */
const isPast = (iat: unknown): iat is number =>
  typeof iat === "number" && iat >= 0 && iat <= Date.now() / 1000 + clockToleranceSeconds;

/** True if a claim can be part of a row's key: PostgreSQL stores no NUL, and its indexes take short text only. */
const isKey = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 255 && printable(value) === value;

function scopesOf({ scope, scp }: Claims) {
  const words = typeof scope === "string" ? scope : scp;
  const list: readonly unknown[] = typeof words === "string" ? words.split(" ") : [words].flat();
  return list.filter((word) => typeof word === "string").filter(isScope);
}

/** A client may have any name, so it is made safe for rows and pages. */
function nameIn({ client_name, client_id, azp }: Claims): string | null {
  const name = [client_name, client_id, azp].find((one) => typeof one === "string" && one !== "");
  return typeof name === "string" ? printable(name) : null;
}
