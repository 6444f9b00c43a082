/** A lab's line in the list, and the shell command that runs it; options are added at its end. */
type Lab = Readonly<{ says: string; runs: string }>;

const linters = "npm exec --yes --package=@redocly/cli@2.77.0 --package=@stoplight/spectral-cli@6.16.3 -c";
const quiet = "REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true";

const program = (says: string, file: string): Lab => ({ says, runs: `bun test/labs/${file}` });
const tests = (says: string, files: string): Lab => ({ says, runs: `bun test/run.ts ${files}` });

/** All labs, which people or CI run: `npm run lab -- NAME [options]`. */
export const labs: Readonly<Record<string, Lab>> = {
  bench: program("requests per second beside pgbench on the same server", "bench/run.ts"),
  peers: program("rates and memory beside PostGraphile, Parse Server and a plain MCP server", "peers/run.ts"),
  scaling: program("what larger set-ups carry, by a model of writes", "scaling/run.ts"),
  chaos: program("kills, freezes and cuts under load, checked by SQL", "chaos/run.ts"),
  model: program(
    "every state of a model of writes, by Debian's spin and gcc, and its faults",
    "model/run.ts",
  ),
  patroni: tests("a switchover by Debian's Patroni under writers", "./test/labs/patroni/switchover.ts"),
  pooler: {
    says: "REST tests behind PgBouncer (Debian's package, or PGBOUNCER=/its/program)",
    runs: "TEST_POOLER=yes bun test/run.ts ./test/service/rest/every-change.test.ts ./test/service/rest/todos.test.ts ./test/service/habit/habits.test.ts ./test/service/rest/preconditions.test.ts ./test/service/contract/examples.test.ts",
  },
  server: tests(
    "docs/server.md typed (as root, with Debian's nginx and caddy)",
    "./test/labs/deploy/server.ts ./test/labs/deploy/lan.ts",
  ),
  image: tests(
    "the Dockerfile's image, built without an engine and started (as root, with Debian's buildah and mmdebstrap)",
    "./test/labs/deploy/image.ts",
  ),
  release: program(
    "packs service, image if buildah is here, SBOM and notes into release/",
    "release/build.ts",
  ),
  bundle: program("the MCP bundle and the entry for the MCP registry, in release/", "release/hosts.ts"),
  hosts: tests(
    "apps that people connect, from npm, sign in, call tools and refresh (1.4 GB)",
    "--timeout=600000 ./test/labs/hosts/hosts.ts",
  ),
  tarball: tests(
    "the packed service, installed and started in an empty folder",
    "./test/labs/release/tarball.ts",
  ),
  life: tests(
    "the packed service used, upgraded under load, restored after a lost disk and moved, by the documents' commands",
    "./test/labs/release/life.ts",
  ),
  "openapi-lint": {
    says: "Redocly and Spectral on docs/openapi.json",
    runs: `${linters} '${quiet} redocly lint --extends recommended-strict docs/openapi.json && spectral lint --fail-severity warn --ruleset test/service/contract/spectral.json docs/openapi.json'`,
  },
  screenshots: {
    says: "draws the pictures in docs/screenshots anew",
    runs: "SCREENSHOTS=yes bun test/run.ts ./test/journeys/every-page.journey.test.ts",
  },
  parts: program(
    "writes a page with every part of the pages, light and dark, into release/",
    "pages/parts.ts",
  ),
  notices: program("writes docs/third-party.md anew, after a change of packages", "supply-chain/notices.ts"),
  sbom: program("prints what production installs, as CycloneDX", "supply-chain/sbom.ts"),
};
