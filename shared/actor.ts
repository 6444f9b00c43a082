import type { Scope } from "./contracts/scopes.ts";

/** Who calls, as the token says: a value that both doors pass on and every query is keyed by. */
export type Actor = Readonly<{
  /** The token's `sub`. */
  userId: string;
  /** `jti`, else the token's sha256. Never the token itself. */
  tokenId: string;
  clientName: string | null;
  scopes: readonly Scope[];
  /** The `zoneinfo` claim and when its token was issued (epoch seconds). */
  zone: Readonly<{ name: string; issuedAt: number }> | undefined;
}>;
