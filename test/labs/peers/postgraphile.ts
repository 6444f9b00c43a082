import type { JsonBody } from "../../harness.ts";
import { newTodo } from "../bench/scenarios.ts";
import { type Contestant, pageSize, states, todo } from "./contestant.ts";

const graphql = (query: string, variables: object) => ({
  method: "POST" as const,
  path: "/graphql",
  body: { query, variables },
});
const fields = "rowId title description dueDate timeOfDay estimatedMinutes context isCompleted";
const whole = `${fields} categoryByCategoryId { name color }`;
const listText = `query($first: Int!) { allTodos(condition: { isCompleted: false },
  orderBy: [DUE_DATE_ASC, TIME_OF_DAY_ASC, ROW_ID_ASC], first: $first) { totalCount nodes { ${whole} } } }`;
const getText = `query($id: BigInt!) { todoByRowId(rowId: $id) { ${whole} } }`;
const createText = `mutation($todo: TodoInput!) { createTodo(input: { todo: $todo }) { todo { ${fields} } } }`;
const completeText = `mutation($id: BigInt!, $patch: TodoPatch!) {
  updateTodoByRowId(input: { rowId: $id, todoPatch: $patch }) { todo { ${whole} } } }`;

const graphqlTodo = ({ title, dueDate, timeOfDay, isCompleted, categoryByCategoryId }: JsonBody) =>
  todo(
    { title, due_date: dueDate, time_of_day: timeOfDay, is_completed: isCompleted },
    categoryByCategoryId?.name,
  );

export const postgraphile: Contestant = {
  name: "PostGraphile",
  server: { file: "postgraphile.mjs", tables: "plain" },
  lacks: "no action log or undo, no idempotency keys, no rate limits, no streaks or days by zone",
  asks: {
    list: () => [graphql(listText, { first: pageSize })],
    get: ({ todo }) => [graphql(getText, { id: String(todo) })],
    create: () => {
      const { title, due_date, time_of_day } = newTodo;
      return [graphql(createText, { todo: { title, dueDate: due_date, timeOfDay: time_of_day } })];
    },
    complete: ({ todo }) =>
      states.map((isCompleted) => graphql(completeText, { id: String(todo), patch: { isCompleted } })),
  },
  readPage: ({ data: { allTodos } }) => ({
    total: allTodos.totalCount,
    todos: allTodos.nodes.map(graphqlTodo),
  }),
  readTodo: ({ data }) => graphqlTodo(data.todoByRowId),
};
