import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../folder.ts";

/** A certificate of this machine, which only a client that is given it trusts. */
export async function selfSigned() {
  const folder = temporaryFolder("tls");
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  await Bun.$`openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext ${names} -keyout ${key} -out ${cert}`.quiet();
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
}
