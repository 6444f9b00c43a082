/** One line of the table of figures. */
export type Row = Readonly<{ figure: string; goal: string; measured: string; ok: boolean }>;

export type Figure = (options: FigureOptions) => Promise<Row[]>;

export type FigureOptions = Readonly<{
  /** Seconds that servers stay away. */
  outageSeconds: number;
}>;

export const printHead = (): void => console.log("| figure | goal | measured | |\n|---|---|---|---|");

export const printRow = ({ figure, goal, measured, ok }: Row): void =>
  console.log(`| ${figure} | ${goal} | ${measured} | ${ok ? "ok" : "**missed**"} |`);
