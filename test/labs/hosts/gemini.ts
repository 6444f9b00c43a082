type Asked = Readonly<{ contents: unknown; tools: [{ functionDeclarations: readonly unknown[] }] }>;

const refusedWords = ["format", "$ref", "const", "anyOf", "oneOf", "allOf"];

/** Finds words, objects without properties, and lists without items, all of which Gemini refuses in a tool. */
function refusedIn(declarations: readonly unknown[]): string[] {
  const found: string[] = [];
  JSON.parse(JSON.stringify(declarations), (key, value) => {
    const type = String(value?.type).toLowerCase();
    const isBare = type === "object" && Object.keys(value.properties ?? {}).length === 0;
    if (refusedWords.includes(key) || isBare || (type === "array" && !value.items)) found.push(key);
    return value;
  });
  return found;
}

/** A server in the place of Google's: its model first calls a tool, then says that it is done. */
export function answerAsGemini(tool: string, args: object) {
  let told = "";
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      const { contents, tools }: Asked = JSON.parse(await request.text());
      const message = refusedIn(tools[0].functionDeclarations).join(", ");
      if (message !== "") return Response.json({ error: { code: 400, message } }, { status: 400 });
      told = JSON.stringify(contents);
      const isDone = told.includes("functionResponse");
      const content = {
        role: "model",
        parts: [isDone ? { text: "Done." } : { functionCall: { name: tool, args } }],
      };
      return Response.json({ candidates: [{ content, finishReason: "STOP", index: 0 }] });
    },
  });
  return {
    url: server.url.href.slice(0, -1),
    /** The conversation as the model last got it. */
    told: () => told,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
