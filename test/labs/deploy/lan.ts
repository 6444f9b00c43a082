import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { root } from "../../service/deploy/compose-file.ts";
import { shareRuntime } from "../../service/embedded/instance.ts";
import { blocksRunBy, commandLines } from "../../support/documented.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { enterMachine, hasNamespaces } from "./namespace.ts";

const isPossible = hasNamespaces && Bun.which("caddy") !== null;
if (!isPossible)
  console.warn("SKIPPED: the LAN of docs/server.md is tried by root with namespaces and Debian's caddy.");

test.skipIf(!isPossible)(
  "the LAN of docs/server.md: agents, programs and browsers reach Kept by its name, trusting Caddy's authority alone",
  async () => {
    const home = temporaryFolder("lan");
    shareRuntime(home);
    const inherited = { ...process.env, HOME: home, XDG_DATA_HOME: undefined, XDG_CONFIG_HOME: undefined };
    const { type, end } = await enterMachine({
      ...inherited,
      DATA_DIR: join(home, "data"),
      LOG_LEVEL: "warn",
    });
    afterAll(end);
    await type(`cd ${root}; echo 127.0.0.1 kept.local >> /etc/hosts`);
    const blocks = await blocksRunBy("docs/server.md", "test/labs/deploy/lan.ts");
    const [caddy = "", kept = "", ask = ""] = blocks.map((block) => commandLines(block).join("\n"));
    await type(`(${caddy}) > /tmp/caddy.log 2>&1 &`);
    await type(kept.replace("npm start", `npm start > ${home}/start.log 2>&1 &`));
    await type(
      `for try in $(seq 600); do ! grep -q 'Try it' ${home}/start.log || break; sleep 0.1; done; cat ${home}/start.log`,
    );
    expect(await type(ask.replaceAll("data/", "$DATA_DIR/"))).toContain('"pending_todos"');
    const link = /https:\S+token=\S+/.exec(await type("npm run --silent owner"))?.[0];
    const visit = join(import.meta.dir, "fixtures/lan-visit.ts");
    const said = await type(`${process.execPath} ${visit} '${link}' "$(cat $DATA_DIR/owner-token)"`);
    expect(said).toContain("page 200 https://kept.local/account");
    expect(said).toContain("tool Call Grace");
    expect(
      await type(
        "env -u NODE_EXTRA_CA_CERTS -u SSL_CERT_FILE -u CURL_CA_BUNDLE curl --silent https://kept.local/ || echo refused $?",
      ),
    ).toContain("refused 60");
  },
);
