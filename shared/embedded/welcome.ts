import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommonConfig } from "../process/config.ts";
import { toRun } from "../process/to-run.ts";

type Details = Record<string, string>;

/**
 * The last lines of `npm start`: the addresses, how to sign in and a first call to paste. The identity provider reports
 * the owner's password and token only once, at the first start.
 */
export function welcome(config: CommonConfig, details: Details): string {
  const { baseUrl, dataDir } = config;
  return [
    "",
    `REST      ${baseUrl}/api/v1`,
    `MCP       ${baseUrl}/mcp`,
    `Account   ${baseUrl}/account`,
    `Agents    ${baseUrl}/account/connect`,
    "",
    ...firstCall(config, details),
    "",
    ...(config.builtInIdentity
      ? [`For a link that signs the owner in: ${besideIt(dataDir)}${toRun("owner")}`, ""]
      : []),
  ].join("\n");
}

/** Tells commands that run beside this one the data folder, unless it is the default. */
const besideIt = (dataDir: string): string => (dataDir === resolve("./data") ? "" : `DATA_DIR='${dataDir}' `);

function firstCall(config: CommonConfig, details: Details): string[] {
  const { baseUrl, dataDir, authUrl, builtInIdentity } = config;
  const { owner_email, owner_password, owner_token, former_address } = details;
  const call = (token: string) => `  curl -H "Authorization: Bearer ${token}" ${baseUrl}/api/v1/dashboard`;
  if (owner_token)
    return [
      "The owner's account, told this once:",
      `  e-mail    ${owner_email}`,
      `  password  ${owner_password}`,
      `  token     ${owner_token}`,
      "",
      "Try it:",
      call(owner_token),
    ];
  const withNew = [
    `Try it with a token from ${builtInIdentity ? `${baseUrl}/profile/api-tokens` : authUrl}:`,
    call("…"),
  ];
  if (former_address)
    return [`Tokens made for ${former_address} are refused, unless AUTH_AUDIENCE names it.`, ...withNew];
  const tokenFile = join(dataDir, "owner-token");
  if (builtInIdentity && existsSync(tokenFile))
    return [`The owner's token is in ${tokenFile}. Try it:`, call(`$(cat '${tokenFile}')`)];
  return withNew;
}
