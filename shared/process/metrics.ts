import { timingSafeEqual } from "node:crypto";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "./config.ts";

/** The counts of one process for Prometheus. */
export type Exposition = Readonly<{
  /** Where the parts of the process register what they count. */
  registry: Registry;
  /** Answers with the counts, or 404 to whoever may not see them. */
  answer(request: Request, remoteAddress: string | undefined): Promise<Response>;
}>;

type Access = Pick<Config, "baseUrl" | "metricsToken">;

/**
 * With METRICS_TOKEN set, its bearers may read from anywhere. Without it only this machine may, and nobody where
 * BASE_URL is https.
 */
export function createExposition(access: Access): Exposition {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    async answer(request, remoteAddress) {
      if (!mayRead(request, remoteAddress, access)) return new Response(null, { status: 404 });
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
  };
}

function mayRead(
  request: Request,
  remoteAddress: string | undefined,
  { baseUrl, metricsToken: token }: Access,
): boolean {
  if (token === undefined) return !baseUrl.startsWith("https:") && isLocal(request, remoteAddress);
  const shown = Buffer.from(request.headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/** The Host header counts too: by DNS rebinding, a foreign page in a local browser reaches us under its own name. */
function isLocal(request: Request, remoteAddress: string | undefined): boolean {
  if (isForwarded(request) || !/^(127\.|::1$|::ffff:127\.)/.test(remoteAddress ?? "")) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(request.headers.get("host") ?? "");
}

/** Behind a proxy on this machine every request seems to come from here. */
const isForwarded = ({ headers }: Request): boolean =>
  ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers.has(name));
