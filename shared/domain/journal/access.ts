import { kind } from "./event.ts";

type Named = { name: string };

/** Events of tokens and connected apps. */
export const access = {
  token_made: kind<Named & { scopes: string; ends: string }>({
    says: ({ name, scopes, ends }) => `The token “${name}” was made, for ${scopes}, until ${ends}.`,
    logs: "authn_token_created",
    told: { subject: "A new token for Kept", ends: "token" },
  }),
  token_changed: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `“${name}” was renamed or narrowed; it may do ${scopes}.`,
    logs: "privilege_permissions_changed",
    told: null,
  }),
  token_ruled: kind<{ token: string }>({
    says: ({ token }) => `The rules of the token ${token} were changed.`,
    logs: "privilege_permissions_changed",
    told: null,
  }),
  token_rotated: kind<Named>({
    says: ({ name }) => `The token “${name}” got a new secret.`,
    logs: "authn_token_created",
    told: { subject: "A token of yours for Kept has a new secret", ends: "token" },
  }),
  token_secrets_ended: kind<Named>({
    says: ({ name }) => `Earlier secrets of the token “${name}” were ended.`,
    logs: "authn_token_revoked",
    told: null,
  }),
  token_revoked: kind<Named>({
    says: ({ name }) => `The token “${name}” was revoked.`,
    logs: "authn_token_revoked",
    told: null,
  }),
  token_elsewhere: kind<Named>({
    says: ({ name }) => `“${name}” was used from a network that it did not use this year.`,
    logs: "authn_token_new_network",
    told: null,
    most: 1,
    period: "year",
  }),
  app_connected: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `The app “${name}” was connected, for ${scopes}.`,
    logs: "authn_token_created",
    told: { subject: "A new app is connected to your account of Kept", ends: "token" },
  }),
  app_allowed: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `The app “${name}” was connected again, for ${scopes}.`,
    logs: "authz_change",
    told: null,
  }),
  app_ended: kind<Named>({
    says: ({ name }) => `The app “${name}” was disconnected.`,
    logs: "authn_token_revoked",
    told: null,
  }),
  rest_reads: kind<Named>({
    says: ({ name }) => `“${name}” read over REST.`,
    logs: "sensitive_read",
    told: null,
    // One row for each token and day tells the number.
    most: 0,
  }),
} as const;
