/** A schema in JSON Schema's own words. */
export type JsonSchema = Readonly<{
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  properties?: SchemaFields;
  additionalProperties?: JsonSchema | false;
  required?: readonly string[];
  [word: string]: unknown;
}>;

export type SchemaFields = Readonly<Record<string, JsonSchema>>;

/** The place of a component within the document. */
export type ComponentRef = Readonly<{ $ref: string }>;

export type Parameter = Readonly<{
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string | undefined;
  schema: JsonSchema;
  example?: unknown;
}>;

type Content = Readonly<{
  schema: JsonSchema;
  examples: Readonly<Record<string, Readonly<{ value: unknown }>>>;
}>;

export type JsonContent = Readonly<{ "application/json": Content; "application/problem+json"?: Content }>;
export type StreamContent = Readonly<{ "text/event-stream": Content }>;

export type RequestBody = Readonly<{ required: boolean; content: JsonContent }>;

export type Answer = Readonly<{
  description: string;
  headers: Readonly<Record<string, ComponentRef>>;
  content?: JsonContent | StreamContent;
}>;

export type Operation = Readonly<{
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  security: readonly object[];
  parameters: readonly (Parameter | ComponentRef)[];
  requestBody?: RequestBody;
  responses: Readonly<Record<string, Answer | ComponentRef>>;
}>;
