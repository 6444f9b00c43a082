/** Loads the library of passkeys, which takes 10 MB, with the first page that offers one. */
export async function webauthn() {
  const [server, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...server, ...helpers };
}
