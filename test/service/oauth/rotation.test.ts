import { afterAll, expect, test } from "bun:test";
import { Pool } from "pg";
import { loadPagesKeys } from "../../../api/doors/pages/session/sealed-cookie.ts";
import { loadKeys, rotateSecrets, rotationSteps } from "../../../api/identity/accounts/keys.ts";
import { checkChallenge, newChallenge } from "../../../api/identity/passkeys.ts";
import { csrfHolds, csrfToken } from "../../../api/web/form/form.ts";
import { seal, unseal } from "../../../api/web/key-ring.ts";
import { openSigner } from "../../../shared/queue/batch.ts";
import { runIdentity, signIn, startTestIdentity } from "../../support/identity/support.ts";

let identity = await startTestIdentity();
const { config, owner } = identity;
const pool = new Pool({ connectionString: config.databaseUrl });
afterAll(async () => {
  await pool.end();
  await identity.stop();
});

/** The keys of a process that starts now. */
type Known = Awaited<ReturnType<typeof startNow>>;
async function startNow() {
  const pages = await loadPagesKeys(pool);
  return { keys: await loadKeys(pool, pages.forms), signer: await openSigner(pool), pages };
}

/** For each kind of key, true if one process accepts the other's. */
async function accepted(by: Known, from: Known): Promise<Record<string, boolean>> {
  const answerer = { holder: "h", purpose: "get" } as const;
  const challenge = newChallenge(from.keys, answerer).toBase64({ alphabet: "base64url" });
  const session = await seal({ sub: "ada" }, from.pages.session, 60);
  return {
    forms: csrfHolds(by.pages.forms, "h", csrfToken(from.pages.forms, "h")),
    passkey: checkChallenge(by.keys, answerer).isOwn(challenge),
    session: (await unseal(session, by.pages.session)) !== undefined,
    cookies: by.keys.cookies.includes(from.keys.cookies[0] ?? ""),
    queue: by.signer.verify(from.signer.sign({ id: "batch" })) !== undefined,
    published: by.keys.jwks.keys.some(({ n }) => n === from.keys.jwks.keys[0]?.n),
  };
}

test("processes of two steps in a row accept all that the other makes, sessions live on, and in the end the old is worth nothing", async () => {
  const { browser } = await signIn(config, owner.email, owner.password);
  const known = [await startNow()];
  for (const step of rotationSteps) {
    for (const other of rotationSteps.filter((name) => name !== step))
      expect(await rotateSecrets(pool, other)).toBe(step);
    expect(await rotateSecrets(pool, step)).toBeUndefined();
    known.push(await startNow());
    const [before, after] = known.slice(-2) as [Known, Known];
    for (const answers of [await accepted(before, after), await accepted(after, before)])
      expect(Object.entries(answers).filter(([, isAccepted]) => !isAccepted)).toEqual([]);

    await identity.stop();
    identity = await runIdentity(config);
    expect((await browser.open("/profile")).text).toContain(owner.email);
  }
  const [first, last] = [known[0], known.at(-1)] as [Known, Known];
  for (const answers of [await accepted(first, last), await accepted(last, first)])
    expect(Object.entries(answers).filter(([, isAccepted]) => isAccepted)).toEqual([]);
});
