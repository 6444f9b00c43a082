import { Chrono, casual, type Parser } from "chrono-node/en";

/**
 * The library's connector between the parts of `2 weeks, 3 days and 4 hours`. It matches one space in two ways and five
 * in six, so long lines take exponential time: 130 characters blocked a process for half a minute.
 */
const ambiguousConnector = "\\s{0,5},?(?:\\s*and)?\\s{0,5}";
/** The same, in one way only. */
const plainConnector = "\\s{0,5}(?:,\\s{0,5})?(?:and\\s{0,5})?";

/** The library's reader of dates in English, without that connector. */
export const dateReader = new Chrono({
  parsers: casual.parsers.map(withPlainConnectors),
  refiners: casual.refiners,
});

function withPlainConnectors(parser: Parser): Parser {
  const plain = new Map<string, RegExp>();
  return {
    pattern(context) {
      const { source, flags } = parser.pattern(context);
      const pattern =
        plain.get(source) ?? new RegExp(source.replaceAll(ambiguousConnector, plainConnector), flags);
      plain.set(source, pattern);
      return pattern;
    },
    extract: (context, match) => parser.extract(context, match),
  };
}
