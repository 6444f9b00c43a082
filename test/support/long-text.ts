/** Letters of 4 bytes that no compression makes shorter, and that people could have written. */
export const longText = (letters: number): string =>
  String.fromCodePoint(
    ...Array.from({ length: letters }, () => 0x20000 + Math.floor(Math.random() * 42_000)),
  );
