import { connect } from "node:net";

const askEveryMs = 1_500;
/** A process that leaves so many questions in a row unanswered hangs. */
const unansweredAtMost = 5;
/** Later answers come to nobody, so that questions to a frozen server do not pile up. */
const answerMs = 5_000;

export type LifeWatch = Readonly<{
  answered(): void;
  isHanging(): boolean;
  end(): void;
}>;

/** Asks a process again and again whether it serves, and kills it when it hangs. */
export function watchForLife(ask: () => void, kill: () => void): LifeWatch {
  let unanswered = 0;
  const isHanging = () => unanswered >= unansweredAtMost;
  const asking = setInterval(() => {
    if (isHanging()) return kill();
    unanswered += 1;
    ask();
  }, askEveryMs);
  return {
    answered() {
      unanswered = 0;
    },
    isHanging,
    end: () => clearInterval(asking),
  };
}

/** True if the server at this port says anything: an error is a sign of life, too. */
export function saysAnything(port: number, question: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(question));
    socket.setTimeout(answerMs, () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(false));
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
  });
}
