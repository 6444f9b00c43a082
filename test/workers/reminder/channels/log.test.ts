import { Writable } from "node:stream";
import pino from "pino";
import { createLogChannel } from "../../../../workers/reminder/channels/log.ts";
import { behavesAsChannel } from "./suite.ts";

const lines: string[] = [];
const log = pino(
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);

behavesAsChannel("log", {
  channel: createLogChannel(log, "UTC"),
  target: {},
  seen: () =>
    lines.map((line) => {
      const { delivery_id, todo, habit, local_time, late } = JSON.parse(line);
      return { id: delivery_id, text: `${todo?.title ?? habit.name} ${local_time} ${todo?.due_time}`, late };
    }),
});
