import type { Command } from "./command-line.ts";
import { addCommand } from "./commands/add.ts";
import { doneCommand } from "./commands/complete.ts";
import { completionsCommand } from "./commands/completions.ts";
import { deleteCommand } from "./commands/delete.ts";
import { editCommand } from "./commands/edit.ts";
import { exportCommand } from "./commands/export.ts";
import { listCommand } from "./commands/list.ts";
import { logCommand } from "./commands/log.ts";
import { loginCommand, logoutCommand } from "./commands/login.ts";
import { searchCommand } from "./commands/search.ts";
import { snoozeCommand } from "./commands/snooze.ts";
import { todayCommand } from "./commands/today.ts";
import { undoCommand } from "./commands/undo.ts";

/** All commands, in the order of usage and docs. */
export const keptCommands: readonly Command[] = [
  addCommand,
  todayCommand,
  listCommand,
  searchCommand,
  doneCommand,
  editCommand,
  snoozeCommand,
  deleteCommand,
  undoCommand,
  logCommand,
  exportCommand,
  loginCommand,
  logoutCommand,
  completionsCommand,
];
