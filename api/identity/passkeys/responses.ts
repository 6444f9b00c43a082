import { decodeAttestationObject, isoBase64URL } from "@simplewebauthn/server/helpers";
import { Type } from "typebox";
import { Compile } from "typebox/compile";

/** An id of 1,023 bytes at most (Web Authentication §4). */
const Id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,1364}$" });
const Data = Type.String({ pattern: "^[A-Za-z0-9_-]+$" });
const common = {
  id: Id,
  rawId: Id,
  type: Type.Literal("public-key"),
  clientExtensionResults: Type.Object({}),
};

const creation = Compile(
  Type.Object({ ...common, response: Type.Object({ clientDataJSON: Data, attestationObject: Data }) }),
);

const assertion = Compile(
  Type.Object({
    ...common,
    response: Type.Object({
      clientDataJSON: Data,
      authenticatorData: Data,
      signature: Data,
      userHandle: Data,
    }),
  }),
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A browser's answer to a sign-in, as JSON; undefined when it has another form. */
export function readAssertion(text: string) {
  const answer = parseJson(text);
  return assertion.Check(answer) ? answer : undefined;
}

/**
 * Reads a browser's answer that makes a passkey; undefined when it has another form or contains certificates. Kept
 * asks for none, and checking a stranger's would fetch addresses that they name.
 */
export function readCreation(text: string) {
  const answer = parseJson(text);
  return creation.Check(answer) && !hasCertificates(answer.response.attestationObject) ? answer : undefined;
}

function hasCertificates(attestationObject: string): boolean {
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
    const format = attestation.get("fmt");
    if (format === "none") return false;
    return format !== "packed" || attestation.get("attStmt").get("x5c") !== undefined;
  } catch {
    return true;
  }
}
