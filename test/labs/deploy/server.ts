import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { redisBinary } from "../../../shared/embedded/servers/redis.ts";
import { root } from "../../service/deploy/compose-file.ts";
import { blocksRunBy, commandBlocks, commandLines } from "../../support/documented.ts";
import { enterMachine, hasNamespaces, type Shell } from "./namespace.ts";

const missing = ["nginx", "systemd-analyze", "openssl", "curl"].filter((name) => !Bun.which(name));
const isPossible = hasNamespaces && missing.length === 0;
if (!isPossible)
  console.warn(
    `SKIPPED: docs/server.md is typed by root with namespaces, and ${missing.join(", ") || "these"}.`,
  );

const file = "test/labs/deploy/server.ts";
const names = ["kept.example.org"];
const certificates = "/etc/letsencrypt/live/kept.example.org";
const checkout = "package.json package-lock.json .npmrc tsconfig.json api shared workers docs";

/** The prerequisites of the page: a release, a Redis, names, certificates, and a stand-in for systemd. */
async function prepare({ type }: Shell): Promise<void> {
  const redis = await redisBinary(join(root, ".runtime"), () => {});
  const libraries = redis.env.LD_LIBRARY_PATH?.replaceAll(join(root, ".runtime"), "/srv") ?? "";
  const program = redis.path.replace(join(root, ".runtime"), "/srv");
  const wrapper = (name: string, command: string) =>
    `printf '%s\\n' '#!/bin/sh' '${command}' > /usr/local/sbin/${name}; chmod 755 /usr/local/sbin/${name}`;
  const subject = `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`;
  await type(`
    cd ${root}
    mkdir -p /var/lib/nginx /var/log/nginx
    for release in kept-0.1.0 kept-0.2.0; do
      mkdir -p /srv/$release/node_modules
      cp -a ${checkout} /srv/$release
      mount --bind node_modules /srv/$release/node_modules
    done
    mkdir -p /srv/test/service/deploy && cp -a test/service/deploy/fixtures /srv/test/service/deploy && ln -s kept-0.1.0/shared /srv/shared
    ${program === redis.path ? "" : "cp -a .runtime/redis /srv/redis"}
    ${wrapper("redis-server", `LD_LIBRARY_PATH="${libraries}" exec ${program} "$@"`)}
    ${wrapper("systemctl", `exec ${process.execPath} ${join(root, "test/labs/deploy/fixtures/systemctl.ts")} "$@"`)}
    echo "127.0.0.1 ${names.join(" ")}" >> /etc/hosts
    mkdir -p ${certificates}
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=kept -addext ${subject} \\
      -keyout ${certificates}/privkey.pem -out ${certificates}/fullchain.pem
    export CURL_CA_BUNDLE=${certificates}/fullchain.pem
  `);
}

/** Ends `npm start` and starts its servers alone, which stand for those of the machine; both proxies' second lines. */
const servers = `
  systemctl stop kept
  cd /srv/kept && setpriv --reuid=kept --regid=kept --init-groups node_modules/.bin/bun /srv/test/service/deploy/fixtures/servers.ts /var/lib/kept/data > /run/servers &
  until grep -q REDIS /run/servers; do sleep 0.1; done
  grep REDIS_URL /run/servers >> /etc/kept/settings.env
  grep DATABASE_URL /run/servers > /etc/kept/owner.env
  echo RATE_LIMIT_PER_MINUTE=0 >> /etc/kept/settings.env
  echo NODE_EXTRA_CA_CERTS=${certificates}/fullchain.pem >> /etc/kept/settings.env
  sed -i 's/server 127.0.0.1:3000 .*/& server 127.0.0.1:3010 max_fails=0;/' /etc/nginx/conf.d/kept.conf
  systemctl reload nginx`;

const token = "$(cat /var/lib/kept/data/owner-token)";
const call = `curl --silent --header "Authorization: Bearer ${token}" --header "Content-Type: application/json"`;
const create = `${call} https://kept.example.org/api/v1/todos --data '{"title": "Call Grace"}'`;

/** Writes while /run/loading exists, as a client that repeats refused requests, and records the answers. */
const load = `touch /run/loading
  (set +ex
  while [ -e /run/loading ]; do
    ${create} --header "Idempotency-Key: $RANDOM-$RANDOM-$RANDOM" --retry 9 --output /dev/null --write-out '%{http_code}\\n' || echo lost
  done > /run/answers) & loading=$!`;

test.skipIf(!isPossible)(
  "docs/server.md, typed from top to bottom, ends with a backed-up service behind TLS and an upgrade without a gap",
  async () => {
    const shell = await enterMachine({ ...process.env, PATH: `/usr/local/sbin:${process.env.PATH}` });
    afterAll(shell.end);
    await prepare(shell);
    const { type } = shell;
    const [archiveLog = ""] = (await commandBlocks("docs/backup.md"))
      .flatMap(commandLines)
      .filter((line) => line.includes("archive-log"));
    const before: Readonly<Record<string, string>> = {
      // Nothing here asks for the health of a process that ends.
      "systemctl enable --now kept\n": "sed -i s/DRAIN_SECONDS=3/DRAIN_SECONDS=0/ /etc/kept/settings.env",
      "systemctl enable --now kept-backup.timer": create,
      "for role in door": `${archiveLog.replace("npm run admin --", "kept-admin")}${servers}`,
      "for unit in": load,
    };
    const server = await blocksRunBy("docs/server.md", file);
    // Keys are replaced before the service becomes one of two of each.
    const index = server.findIndex(({ text }) => text.includes("systemctl enable --now kept-worker"));
    const blocks = server.toSpliced(index, 0, ...(await blocksRunBy("docs/rotation.md", file)));
    const said: string[] = [];
    for (const block of blocks) {
      const typed = commandLines(block).join("\n");
      for (const [beginning, commands] of Object.entries(before))
        if (`${typed}\n`.includes(beginning)) await type(commands);
      said.push(await type(typed));
    }
    const all = said.join("\n");
    expect(all).toContain("https://kept.example.org/sign-in/link?token=");
    expect(all).toContain('"pending_todos"');
    expect(all).toContain("The backup is good");
    expect(all).toContain("Restored in");
    const answers = (await type("rm /run/loading; wait $loading; cat /run/answers")).split("\n");
    expect(new Set(answers.filter((line) => /^(\d{3}|lost)$/.test(line)))).toEqual(new Set(["201"]));
    expect(await type(`${call} https://kept.example.org/api/v1/todos`)).toContain("Call Grace");
  },
);
