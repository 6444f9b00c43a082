import { timingSafeEqual } from "node:crypto";
import type { Configuration, Provider } from "oidc-provider";
import { type IdentityClient, secretsOf } from "../../auth/identity-client.ts";
import { hashToken } from "../accounts/confirmation.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { personalClientId } from "../grants/grants.ts";

type Dependencies = Pick<IdentityContext, "config" | "ownClient">;

/** The clients that exist without registration: the service itself, and the one of personal access tokens. */
export function staticClients({ config, ownClient }: Dependencies): Configuration["clients"] {
  return [
    {
      client_id: ownClient.id,
      client_secret: ownClient.secret,
      client_name: "Kept",
      application_type: "web",
      token_endpoint_auth_method: "client_secret_basic",
      redirect_uris: [`${config.baseUrl}/account/callback`],
      post_logout_redirect_uris: [`${config.baseUrl}/account`, config.baseUrl],
      grant_types: ["authorization_code"],
    },
    {
      client_id: personalClientId,
      client_name: "Personal access token",
      token_endpoint_auth_method: "none",
      redirect_uris: [],
      response_types: [],
      grant_types: [],
    },
  ];
}

/** Accepts any of the service's own secrets, because its processes learn of a new one at different times. */
export function acceptOwnSecrets(provider: Provider, ownClient: IdentityClient): void {
  const { compareClientSecret } = provider.Client.prototype;
  provider.Client.prototype.compareClientSecret = function (this: { clientId: string }, shown: string) {
    if (this.clientId !== ownClient.id) return compareClientSecret.call(this, shown);
    return secretsOf(ownClient).some((secret) => timingSafeEqual(hashToken(shown), hashToken(secret)));
  };
}
