/** Asks up to four times, as a careful client does, while the service is busy and asking again does no harm. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  isBusy: (answer: Answer) => boolean,
): Promise<Answer> {
  let answer = await ask();
  for (let waitMs = 300; waitMs < 3_000 && isBusy(answer); waitMs *= 3) {
    await Bun.sleep(waitMs);
    answer = await ask();
  }
  return answer;
}
