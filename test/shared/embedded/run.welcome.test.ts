import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { welcome } from "../../../shared/embedded/run.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { folderOfFile } from "../../support/folder.ts";

const servers = { DATABASE_URL: "postgres://localhost/kept", REDIS_URL: "redis://localhost" };
const dataDir = folderOfFile("welcome");
const config = loadConfig({ ...servers, BASE_URL: "http://kept.example", DATA_DIR: dataDir });
writeFileSync(join(dataDir, "owner-token"), "kept_1\n");

test("a later start shows a call with the owner's stored token", () => {
  expect(welcome(config, {})).toContain(`Bearer $(cat '${join(dataDir, "owner-token")}')`);
});

test("after a change of address, whose tokens are refused, the start shows no call that fails", () => {
  const said = welcome(config, { former_address: "http://localhost:3000" });
  expect(said).toContain("Tokens made for http://localhost:3000 are refused, unless AUTH_AUDIENCE names it.");
  expect(said).not.toContain("owner-token");
});
