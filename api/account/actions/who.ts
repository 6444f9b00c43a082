/** Who called: the token's or the app's name, as the provider tells it. */
export function nameOf({ client_name, token_id }: { client_name: string | null; token_id: string }): string {
  return client_name ?? `Token ${token_id.slice(0, 8)}`;
}
