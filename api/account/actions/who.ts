/** The name of the token or app that called, else the beginning of the token's id. */
export function nameOf({ client_name, token_id }: { client_name: string | null; token_id: string }): string {
  return client_name ?? `Token ${token_id.slice(0, 8)}`;
}
