import type { Scope } from "../../shared/contracts/kernel/scopes.ts";

/** The caller as the token describes it. Both doors pass it on, and every read and write belongs to its user. */
export type Actor = Readonly<{
  /** The token's `sub`. */
  userId: string;
  /** The `jti`, or the token's sha256 when there is none; never the token itself. */
  tokenId: string;
  clientName: string | null;
  scopes: readonly Scope[];
  /** The `zoneinfo` claim, and when the token was issued (epoch seconds). */
  zone: Readonly<{ name: string; issuedAt: number }> | undefined;
}>;

export type Requester = Pick<Actor, "userId"> & Partial<Pick<Actor, "scopes" | "clientName" | "tokenId">>;
