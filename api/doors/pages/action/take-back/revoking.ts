import { isConnectionId } from "../../../../auth/identity-client.ts";
import { csrfHolds, csrfToken } from "../../../../web/form/csrf.ts";
import type { Visit } from "../../session/context.ts";

/** Whether the provider that keeps the tokens is ours, and can have issued this one. */
export const canRevoke = ({ context }: Visit, tokenId: string): boolean =>
  context.revokeToken !== undefined && isConnectionId(tokenId);

const holderOf = ({ holder }: Visit, tokenId: string): string => `${holder}.revoked.${tokenId}`;

/** Says in an address that this session revoked the token: nobody else can make a link that tells its person so. */
export const revokedMark = (visit: Visit, tokenId: string): string =>
  csrfToken(visit.site.formKeys, holderOf(visit, tokenId));

/** @returns the mark of an address or form, if it is true */
export function revokedMarkIn(visit: Visit, params: URLSearchParams, tokenId: string): string | undefined {
  const mark = params.get("revoked") ?? "";
  return csrfHolds(visit.site.formKeys, holderOf(visit, tokenId), mark) ? mark : undefined;
}
