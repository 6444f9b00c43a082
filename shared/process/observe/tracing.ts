type SpanAttributes = Readonly<Record<string, string | number>>;

/** One step of a trace that is under way. */
export type TraceSpan = Readonly<{
  /** Names this step to what belongs to it (W3C Trace Context). */
  traceparent: string;
  end(attributes: SpanAttributes, hasFailed: boolean): void;
}>;

type SpanStart = Readonly<{
  name: string;
  kind: "server" | "consumer" | "internal";
  /** The traceparent of the step that this one belongs to. */
  parent?: string | undefined;
  attributes: SpanAttributes;
}>;

/** Sends traces to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. Nothing that a user wrote may be in a span. */
export type Tracing = Readonly<{
  /** @returns undefined where this trace is not recorded */
  start(span: SpanStart): TraceSpan | undefined;
  /** Sends what is left, unless that takes long. */
  stop(): Promise<void>;
}>;
