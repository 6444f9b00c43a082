import { timesOfDay } from "../../../shared/domain/vocabulary.ts";
import type { Option } from "../../../shared/web/choice-fields.ts";

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

export const timeOfDayOptions: readonly Option[] = [
  { value: "", label: "Any" },
  ...timesOfDay.map((time) => ({ value: time, label: capital(time) })),
];
