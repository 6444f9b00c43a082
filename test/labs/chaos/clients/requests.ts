import type { Action, Operation, ToolRequest } from "../history.ts";

export type RestRequest = Readonly<{ method: string; path: string; body?: unknown }>;

/** An action as a REST request; the path is below /api/v1. */
export function restRequest(action: Action): RestRequest {
  switch (action.kind) {
    case "create todo": {
      const { title, description, category } = action;
      return post("/todos", { title, description, ...(category && { category_id: category }) });
    }
    case "rename todo": {
      const { todo, title, category } = action;
      const body = { title, ...(category && { category_id: category }) };
      const rename = { method: "PUT", path: `/todos/${todo}`, body };
      return action.grouped ? post("/batch", { operations: [rename] }) : rename;
    }
    case "toggle todo":
      return post(
        `/todos/${action.todo}/toggle`,
        action.wanted === undefined ? undefined : wantedState(action),
      );
    case "delete todo":
      return { method: "DELETE", path: `/todos/${action.todo}` };
    case "read todo":
      return { method: "GET", path: `/todos/${action.todo}` };
    case "list todos":
      return { method: "GET", path: `/todos?context=${encodeURIComponent(action.context)}` };
    case "create habit":
      return post("/habits", { name: action.name, type: "good", frequency: "daily" });
    case "complete habit":
      return post(`/habits/${action.habit}/complete`);
    case "undo habit":
      return { method: "DELETE", path: `/habits/${action.habit}/complete` };
    case "read habit":
      return { method: "GET", path: `/habits/${action.habit}` };
    case "create category":
      return post("/categories", { name: action.name });
    case "rename category":
      return { method: "PUT", path: `/categories/${action.category}`, body: { name: action.name } };
    case "delete category":
      return { method: "DELETE", path: `/categories/${action.category}` };
  }
}

const post = (path: string, body?: unknown): RestRequest => ({
  method: "POST",
  path,
  ...(body !== undefined && { body }),
});

const wantedState = ({ wanted }: { wanted?: boolean }) => ({ is_completed: wanted });

/** An action as a tool call; undefined when there is no tool for it. */
export function toolRequest({ action, key }: Pick<Operation, "action" | "key">): ToolRequest | undefined {
  const call = (tool: string, args: Record<string, unknown>): ToolRequest => ({
    tool,
    arguments: { ...args, ...(key !== undefined && { idempotency_key: key }) },
  });
  switch (action.kind) {
    case "create todo": {
      const { title, description, category } = action;
      return call("create-todo", { title, description, ...(category && { category_id: category }) });
    }
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
