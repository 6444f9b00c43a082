import { createHash, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { Page } from "./browser.ts";

const userPresent = 0x01;
const userVerified = 0x04;
const hasNewCredential = 0x40;

/** The parts of an answer; tests change single ones. */
export type AnswerParts = Readonly<{
  challenge: string;
  origin: string;
  rpId: string;
  userHandle?: string;
  counter?: number;
  isVerified?: boolean;
  type?: string;
}>;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

function clientData({ challenge, origin, type }: AnswerParts, byDefault: string): Buffer {
  return Buffer.from(JSON.stringify({ type: type ?? byDefault, challenge, origin, crossOrigin: false }));
}

function authenticatorData({ rpId, counter = 0, isVerified = true }: AnswerParts, more = 0): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const flags = userPresent | (isVerified ? userVerified : 0) | more;
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
}

/** An authenticator in software with one passkey (Web Authentication §6, ES256 without attestation). */
export async function createAuthenticator() {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const id = randomBytes(32);
  const common = { id: base64url(id), rawId: base64url(id), type: "public-key", clientExtensionResults: {} };

  /** The public key in COSE's form. */
  async function coseKey(): Promise<Uint8Array> {
    const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", keys.publicKey);
    const part = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
    return isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, part(x)],
        [-3, part(y)],
      ]),
    );
  }

  return {
    id: common.id,
    async create(parts: AnswerParts, attestation: { fmt: string; attStmt: Map<string, unknown> } = none) {
      const idLength = Buffer.from([0, id.length]);
      const known = [authenticatorData(parts, hasNewCredential), Buffer.alloc(16), idLength, id];
      const authData = new Uint8Array(Buffer.concat([...known, await coseKey()]));
      const { fmt, attStmt } = attestation;
      const object = new Map<string, unknown>(Object.entries({ fmt, attStmt, authData }));
      const response = {
        clientDataJSON: base64url(clientData(parts, "webauthn.create")),
        attestationObject: base64url(isoCBOR.encode(object as Parameters<typeof isoCBOR.encode>[0])),
      };
      return JSON.stringify({ ...common, response });
    },
    async get(parts: AnswerParts) {
      const client = clientData(parts, "webauthn.get");
      const data = authenticatorData(parts);
      const signed = new Uint8Array(Buffer.concat([data, sha256(client)]));
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      const signature = new Uint8Array(await crypto.subtle.sign(algorithm, keys.privateKey, signed));
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(toDer(signature)),
        userHandle: parts.userHandle,
      };
      return JSON.stringify({ ...common, response });
    },
  };
}

const none = { fmt: "none", attStmt: new Map<string, unknown>() };

/** Web Crypto signs as two numbers side by side, authenticators as a DER sequence of them. */
function toDer(signature: Uint8Array): Buffer {
  const integer = (bytes: Uint8Array): Buffer => {
    const digits = Buffer.from(bytes.subarray(bytes.findIndex((byte) => byte !== 0)));
    const positive = (digits[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), digits]) : digits;
    return Buffer.concat([Buffer.from([0x02, positive.length]), positive]);
  };
  const both = Buffer.concat([integer(signature.subarray(0, 32)), integer(signature.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, both.length]), both]);
}

/** The challenge that a page gives the browser's authenticator. */
export function challengeIn({ text }: Pick<Page, "text">): { challenge: string; user?: { id: string } } {
  const encoded = /data-options="([^"]*)"/.exec(text)?.[1] ?? "{}";
  return JSON.parse(encoded.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

/** The parts of a right answer to it. */
export function partsIn(page: Pick<Page, "text">, origin: string): AnswerParts {
  const { challenge, user } = challengeIn(page);
  return { challenge, origin, rpId: "localhost", userHandle: user?.id ?? "" };
}
