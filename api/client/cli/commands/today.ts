import { dataOf } from "../../index.ts";
import { type CommandLine, keptCommand } from "../command-line.ts";
import { lineOf } from "../things.ts";

export const todayCommand = keptCommand({
  name: "today",
  operands: "",
  summary: "lists due habits, and due or overdue todos",
  options: {},
  run: printToday,
});

async function printToday({ client, print }: CommandLine): Promise<void> {
  const [me, dashboard] = await Promise.all([dataOf(client.GET("/me")), dataOf(client.GET("/dashboard"))]);
  const { today, time_zone } = me;
  const { habits, stats } = dashboard;
  const todos = dashboard.todos.filter(({ due_date }) => due_date !== null && due_date <= today);
  const others = stats.pending_todos - todos.length;
  const lines = [
    `${today} (${time_zone})`,
    ...[...habits, ...todos].map(lineOf),
    ...(others > 0 ? [`${others} more pending todo${others === 1 ? "" : "s"}`] : []),
  ];
  print(lines.join("\n"), { today, time_zone, habits, todos });
}
