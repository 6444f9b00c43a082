type SpanAttributes = Readonly<Record<string, string | number>>;

export type TraceSpan = Readonly<{
  /** Passes this step to its children (W3C Trace Context). */
  traceparent: string;
  end(attributes: SpanAttributes, hasFailed: boolean): void;
}>;

type SpanStart = Readonly<{
  name: string;
  kind: "server" | "consumer" | "internal";
  parent?: string | undefined;
  attributes: SpanAttributes;
}>;

/** Sends traces to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. A span must not contain anything that a user wrote. */
export type Tracing = Readonly<{
  /** @returns undefined when this trace is not recorded */
  start(span: SpanStart): TraceSpan | undefined;
  /** Sends the remaining spans, unless that takes long. */
  stop(): Promise<void>;
}>;
