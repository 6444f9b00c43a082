import { Type } from "typebox";
import { contracts } from "../../../../shared/contracts/catalogue.ts";
import { groupCommand, type OperationName } from "../../../../shared/queue/group.ts";
import { restRoute, type Target } from "../route.ts";

/** A change that a group can make, and the kind of thing that it makes. */
export type FoundRoute = Target &
  Readonly<{
    name: OperationName;
    /** Undefined for an answer without an id. */
    answersId: string | undefined;
  }>;

const idNames: Readonly<Record<string, string>> = {
  habits: "habit_id",
  todos: "todo_id",
  categories: "category_id",
};

const routes = contracts.flatMap((contract) => {
  const { kind, name, rest = [], output } = contract;
  if (kind === "query" || name === groupCommand) return [];
  return rest.map((route) => {
    const parts = route.path.split("/");
    const hasId = Type.IsObject(output) && "id" in output.properties;
    const answersId = hasId ? idNames[parts[1] ?? ""] : undefined;
    return { name, ...restRoute(contract, route), parts, answersId };
  });
});

/** @returns undefined when no route makes this change */
export function findRoute(method: string, path: string): FoundRoute | undefined {
  const sent = path.split("/");
  for (const { parts, ...found } of routes) {
    const params = found.route.method === method ? paramsIn(parts, sent) : undefined;
    if (params) return { ...found, params };
  }
  return undefined;
}

function paramsIn(parts: readonly string[], sent: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== sent.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const text = sent[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== text : text === "") return undefined;
    if (name !== undefined) params[name] = text;
  }
  return params;
}
