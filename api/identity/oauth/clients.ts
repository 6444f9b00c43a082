import type { Configuration } from "oidc-provider";
import type { IdentityContext } from "../accounts/context.ts";
import { personalClientId } from "../grants/grants.ts";

type Parts = Pick<IdentityContext, "config" | "ownClient">;

/** The clients that exist without registration: the service itself, and the one of personal access tokens. */
export function staticClients({ config, ownClient }: Parts): Configuration["clients"] {
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
