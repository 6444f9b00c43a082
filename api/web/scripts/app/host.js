// Talks to the host of the conversation, as MCP Apps (2026-01-26) say: JSON-RPC over postMessage.
const open = new Map();
let lastId = 0;

export const notify = (method, params = {}) => parent.postMessage({ jsonrpc: "2.0", method, params }, "*");

/** @throws the host's refusal */
export function ask(method, params) {
  const id = ++lastId;
  parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
  return new Promise((resolve, reject) => open.set(id, { resolve, reject }));
}

/** Hands each message of the host to the handler of its method. */
export function listen(handlers) {
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (data.method) return answer(handlers, data);
    const { resolve, reject } = open.get(data.id) ?? {};
    open.delete(data.id);
    if (data.error) reject?.(new Error(data.error.message));
    else resolve?.(data.result);
  });
}

function answer(handlers, { id, method, params }) {
  handlers[method]?.(params);
  if (id !== undefined) parent.postMessage({ jsonrpc: "2.0", id, result: {} }, "*");
}
