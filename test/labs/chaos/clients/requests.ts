import type { Action, Operation, ToolRequest } from "../history.ts";

type RestRequest = Readonly<{ method: string; path: string; body?: object }>;

const request = (method: string, path: string, body?: object): RestRequest => ({
  ...{ method, path },
  ...(body && { body }),
});

/** An action as a REST request; the path is below /api/v1. */
export function restRequest(action: Action): RestRequest {
  switch (action.kind) {
    case "create todo":
      return request("POST", "/todos", fieldsOf(action));
    case "rename todo": {
      const rename = request("PUT", `/todos/${action.todo}`, fieldsOf(action));
      return action.grouped ? request("POST", "/batch", { operations: [rename] }) : rename;
    }
    case "toggle todo": {
      const { todo, wanted } = action;
      return request(
        "POST",
        `/todos/${todo}/toggle`,
        wanted === undefined ? wanted : { is_completed: wanted },
      );
    }
    case "delete todo":
      return request("DELETE", `/todos/${action.todo}`);
    case "read todo":
      return request("GET", `/todos/${action.todo}`);
    case "list todos":
      return request("GET", `/todos?context=${encodeURIComponent(action.context)}`);
    case "create habit":
      return request("POST", "/habits", { name: action.name, type: "good", frequency: "daily" });
    case "complete habit":
      return request("POST", `/habits/${action.habit}/complete`);
    case "undo habit":
      return request("DELETE", `/habits/${action.habit}/complete`);
    case "read habit":
      return request("GET", `/habits/${action.habit}`);
    case "create category":
      return request("POST", "/categories", { name: action.name });
    case "rename category":
      return request("PUT", `/categories/${action.category}`, { name: action.name });
    case "delete category":
      return request("DELETE", `/categories/${action.category}`);
  }
}

type Fields = Readonly<{ title: string; description?: string; category?: number }>;

const fieldsOf = ({ title, description, category }: Fields) => ({
  title,
  ...(description !== undefined && { description }),
  ...(category !== undefined && { category_id: category }),
});

/** An action as a tool call; undefined when there is no tool for it. */
export function toolRequest({ action, key }: Pick<Operation, "action" | "key">): ToolRequest | undefined {
  const call = (tool: string, args: object): ToolRequest => ({
    tool,
    arguments: { ...args, ...(key !== undefined && { idempotency_key: key }) },
  });
  switch (action.kind) {
    case "create todo":
      return call("create-todo", fieldsOf(action));
    case "rename todo":
      if (action.category !== undefined || action.grouped) return undefined;
      return call("update-todo", { todo_id: action.todo, title: action.title });
    case "toggle todo": {
      const { todo, wanted } = action;
      return call("toggle-todo", { todo_id: todo, ...(wanted !== undefined && { completed: wanted }) });
    }
    case "delete todo":
      return call("delete-todo", { todo_id: action.todo });
    case "list todos":
      return call("get-pending-todos", { context: action.context, limit: 1 });
    case "complete habit":
      return call("complete-habit", { habit_id: action.habit });
    default:
      return undefined;
  }
}
