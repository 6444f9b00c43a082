import { afterAll, expect, test } from "bun:test";
import { openApiDocument } from "../../../../../api/doors/rest/openapi/document.ts";
import { type Addressed, curlLines, exampleBody } from "../../../../../api/doors/rest/reference/page.ts";
import { loadCommonConfig } from "../../../../../shared/process/config.ts";

const received: object[] = [];
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const { authorization, "content-type": type } = request.headers.toJSON();
    const text = await request.text();
    const body = text && type === "application/json" ? JSON.parse(text) : undefined;
    received.push({ method: request.method, pathname, search, authorization, body });
    return new Response();
  },
});
afterAll(() => server.stop());

const origin = `http://localhost:${server.port}`;

async function paste(lines: readonly string[]): Promise<object[]> {
  received.length = 0;
  const shell = Bun.spawn(["bash", "-e"], {
    env: { ...process.env, KEPT_TOKEN: "secret" },
    stdin: new Blob([lines.join("\n")]),
    stdout: "ignore",
    stderr: "ignore",
  });
  expect(await shell.exited).toBe(0);
  return [...received];
}

const { paths } = openApiDocument(origin, loadCommonConfig({}));
const examples = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

test("lines that are pasted into a shell send the example of their operation", async () => {
  const sent = await paste(examples.map((one) => curlLines(`${origin}/api/v1`, one)));
  expect(sent).toEqual(
    examples.map(({ method, operation }) => ({
      method,
      pathname: expect.stringMatching(/^\/api\/v1\/[^{]+$/),
      search: expect.any(String),
      authorization: "Bearer secret",
      body: exampleBody(operation),
    })),
  );
  const list = examples.findIndex(({ operation }) => operation.operationId === "listTodos");
  expect(sent[list]).toMatchObject({
    pathname: "/api/v1/todos",
    search: "?q=dentist&due=upcoming&context=phone",
  });
  const complete = examples.findIndex(({ operation }) => operation.operationId === "completeHabit");
  expect(sent[complete]).toMatchObject({ method: "POST", pathname: "/api/v1/habits/12/complete" });
});

test("quotes, dollars and spaces of an example survive the shell", async () => {
  const value = { title: `Ada's "$HOME" \`date\` \\ !` };
  const operation: Addressed["operation"] = {
    operationId: "odd",
    tags: [],
    summary: "",
    description: "",
    security: [],
    parameters: [
      { name: "q", in: "query", required: false, schema: {}, example: "it's & more" },
      { name: "id", in: "path", required: true, schema: {}, example: "a b" },
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema: {}, examples: { odd: { value } } } },
    },
    responses: {},
  };
  const [sent] = await paste([curlLines(origin, { method: "PATCH", path: "/things/{id}", operation })]);
  expect(sent).toMatchObject({ pathname: "/things/a%20b", search: "?q=it%27s+%26+more", body: value });
});
