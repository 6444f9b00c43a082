import { expect, test } from "bun:test";
import { pythonClient, pythonText } from "../service/contract/write-python-client.ts";

test("the Python client is that of the OpenAPI document", async () => {
  expect(await Bun.file(pythonClient).text()).toBe(await pythonText());
});
