const lifetimeMs = 12 * 60 * 60 * 1000;

/** A token for a form that only this browser (or session) can send back, within 12 hours. */
export function csrfToken(key: string, holder: string): string {
  return Bun.CSRF.generate(`${key}.${holder}`, { expiresIn: lifetimeMs, encoding: "base64url" });
}

/** Whether `token` was made by `csrfToken` for the same holder and has not expired. */
export function csrfHolds(key: string, holder: string, token: string): boolean {
  const secret = `${key}.${holder}`;
  return token !== "" && Bun.CSRF.verify(token, { secret, maxAge: lifetimeMs, encoding: "base64url" });
}
