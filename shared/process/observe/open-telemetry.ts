import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { parseTraceParent, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Config } from "../config.ts";
import { type Log, throttled } from "./log.ts";
import type { Tracing } from "./tracing.ts";
import { version } from "./version.ts";

/** A process that ends waits at most this long for its collector. */
const lastSpansMs = 1_000;

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;

type TracingOptions = Readonly<{ service: string; endpoint: string; config: SamplerConfig; log: Log }>;

/** Spans are gathered and sent in the background; if the collector is away or slow, they are dropped. */
export function createTracing({ service, endpoint, config, log }: TracingOptions): Tracing {
  setGlobalErrorHandler(
    throttled((reason) => log.warn({ reason: reasonOf(reason) }, "the collector does not take traces")),
  );
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceOf(service),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  });
  const tracer = provider.getTracer("kept", version);
  return {
    start({ name, kind, parent, attributes }) {
      const origin = parent === undefined ? null : parseTraceParent(parent);
      const context = origin
        ? trace.setSpanContext(ROOT_CONTEXT, { ...origin, isRemote: true })
        : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
      if (!span.isRecording()) return undefined;
      const { traceId, spanId } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${TraceFlags.SAMPLED}`,
        end(attributes, hasFailed) {
          span.setAttributes(attributes);
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async stop() {
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(lastSpansMs)]);
    },
  };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override Kept's own attributes. */
const resourceOf = (service: string) =>
  defaultResource()
    .merge(resourceFromAttributes({ "service.name": service, "service.version": version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

type SamplerConfig = Pick<Config, "tracesSampler" | "tracesSamplerArg">;

/**
 * The samplers of the OpenTelemetry specification by name. A remote caller's decision is ignored, so that nobody can
 * hide a request from the traces or flood them.
 */
function samplerOf({ tracesSampler, tracesSamplerArg }: SamplerConfig): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.*)$/.exec(tracesSampler) ?? [];
  const root =
    name === "traceidratio"
      ? new TraceIdRatioBasedSampler(tracesSamplerArg)
      : name === "always_off"
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  if (!parentBased) return root;
  const byParent = new ParentBasedSampler({ root });
  return {
    shouldSample: (...asked) => (asked[3] === SpanKind.SERVER ? root : byParent).shouldSample(...asked),
    toString: () => tracesSampler,
  };
}
