import { localDay } from "../../../shared/domain/day/day.ts";
import { fillUser } from "../../support/full-user.ts";
import { pagesEnv, signedInBrowser } from "../../support/pages/live-support.ts";
import type { Figure, Row } from "./figure.ts";
import { msAt, sample, succeeded, times } from "./samples.ts";
import { onStage } from "./stage.ts";

const paths = [
  "/account",
  "/account/habits",
  "/account/habits/9000001",
  "/account/habits/9000001/edit",
  "/account/todos",
  "/account/todos?page=15",
  "/account/todos?q=todo%2099",
  "/account/todos?status=completed",
  "/account/todos/9000001",
  "/account/add?line=Pay%20rent%20every%20month%20on%20the%201st%20at%209",
  "/account/actions",
  "/account/settings",
  "/account/data",
];

const rounds = 60;

/** Measures each page of a person with 30 habits of a year and 2,000 todos, one request after another. */
export const pages: Figure = () =>
  onStage({ env: pagesEnv }, async ({ env, baseUrls: [baseUrl = ""] }) => {
    await fillUser(env.DATABASE_URL ?? "", "full", localDay(Date.now(), "UTC", 0));
    const browser = await signedInBrowser({ baseUrl, databaseUrl: env.DATABASE_URL ?? "" }, "full");
    const open = (path: string) =>
      sample(async () => ({ ...(await browser.open(path)), headers: new Headers(), body: undefined }));
    const rows: Row[] = [];
    for (const path of paths) {
      for (let round = 0; round < rounds; round++) await open(path);
      const samples = [];
      for (let round = 0; round < rounds; round++) samples.push(await open(path));
      rows.push({
        figure: `the page ${decodeURIComponent(path)}`,
        goal: "p50 ≤ 50 ms",
        measured: times(samples),
        ok: samples.every(succeeded) && msAt(samples, 0.5) <= 50,
      });
    }
    return rows;
  });
