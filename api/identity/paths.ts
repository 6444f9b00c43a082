/** The addresses of the built-in provider beside those of the front door; `*` stands for anything. */
export const identityPaths = [
  // OAuth and OpenID Connect; clients of older MCP revisions guess the first four.
  "/.well-known/oauth-authorization-server",
  "/authorize",
  "/token",
  "/register",
  "/.well-known/openid-configuration",
  "/authorize/*",
  "/jwks",
  "/revoke",
  "/userinfo",
  "/session/*",
  // Pages.
  "/interaction/*",
  "/sign-in",
  "/sign-in/*",
  "/sign-up",
  "/sign-up/*",
  "/sign-out",
  "/forgot-password",
  "/reset-password",
  "/not-me",
  "/profile",
  "/profile/*",
] as const;
