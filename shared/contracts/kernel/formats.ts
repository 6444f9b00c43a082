import Format from "typebox/format";
import { isCalendarDate, isLine, isParagraph } from "./text.ts";

/** Formats of text that TypeBox checks and JSON Schema names. */
Format.Set("line", isLine);
Format.Set("paragraph", isParagraph);
Format.Set("date", isCalendarDate);
