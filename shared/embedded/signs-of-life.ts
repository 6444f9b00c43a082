import { connect } from "node:net";

const listenMs = 1_500;
/** A process that is silent for so many times in a row hangs. Times in which the machine sleeps do not count. */
const silentAtMost = 5;
/** Later answers come to nobody, so that questions to a frozen server do not pile up. */
const answerMs = 5_000;

export type LifeWatch = Readonly<{
  heard(): void;
  isHanging(): boolean;
  end(): void;
}>;

/** Kills a process that gives no sign of life. Kept's own give theirs (`feedWatchdog`), others are asked for it. */
export function watchForLife(kill: () => void, ask = () => {}): LifeWatch {
  let silent = 0;
  const isHanging = () => silent >= silentAtMost;
  const listening = setInterval(() => {
    if (isHanging()) return kill();
    silent += 1;
    ask();
  }, listenMs);
  return {
    heard() {
      silent = 0;
    },
    isHanging,
    end: () => clearInterval(listening),
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
