import { join } from "node:path";
import { freePort } from "./services.ts";

const root = join(import.meta.dir, "../../..");

type Violation = Readonly<{ location: readonly string[]; severity: string; message: string }>;

export type Prism = Readonly<{ url: string; stop(): Promise<void> }>;

/** Prism's proxy before one service: it checks every request and answer by the committed OpenAPI document. */
export async function startPrism(upstream: string): Promise<Prism> {
  const port = freePort();
  const prism = Bun.which("prism");
  if (!prism) throw new Error("npm run lab -- prism brings Prism along; there is none on the PATH.");
  const document = join(root, "docs/openapi.json");
  const child = Bun.spawn(
    [prism, "proxy", document, upstream, "--port", String(port), "--host", "127.0.0.1", "--cors", "false"],
    { stdout: "ignore", stderr: "ignore" },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let looks = 0; ; looks++) {
    if (await fetch(url).catch(() => undefined)) break;
    if (child.exitCode !== null || looks > 600) throw new Error("Prism did not start.");
    await Bun.sleep(100);
  }
  return {
    url,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/**
 * Violations of the document in an exchange. A refused request may violate it, an accepted one may not.
 * @returns one line for each violation
 */
export function violationsIn(response: Response): string[] {
  const found: Violation[] = JSON.parse(response.headers.get("sl-violations") ?? "[]");
  return found
    .filter(({ location: [side] }) => response.ok || side !== "request")
    .map(({ location, message }) => `${location.join(".")}: ${message}`);
}
