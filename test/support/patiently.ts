/** Asks up to four times, as a careful client does, while the service is busy and has surely done nothing. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  isBusy: (answer: Answer) => boolean,
): Promise<Answer> {
  let answer = await ask();
  for (let tries = 1; tries < 4 && isBusy(answer); tries++) {
    await Bun.sleep(300);
    answer = await ask();
  }
  return answer;
}
