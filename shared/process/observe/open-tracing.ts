import type { Config } from "../config.ts";
import type { Log } from "./log.ts";
import type { Tracing } from "./tracing.ts";

type Options = Readonly<{ config: Config; log: Log }>;

/** @returns undefined without a collector; then nothing of OpenTelemetry is loaded */
export async function openTracing(service: string, { config, log }: Options): Promise<Tracing | undefined> {
  const { otlpEndpoint: endpoint } = config;
  if (endpoint === undefined) return undefined;
  const { createTracing } = await import("./open-telemetry.ts");
  return createTracing({ service, endpoint, config, log });
}
