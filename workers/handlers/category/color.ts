const defaultColor = "#6b7280";

/** @returns the colour as it is stored: six digits in lower case, where `#abc` means `#aabbcc` */
export function storedColor(color: string | null | undefined): string {
  if (color == null) return defaultColor;
  const isShort = /^#...$/.test(color);
  return (isShort ? color.replaceAll(/[^#]/g, "$&$&") : color).toLowerCase();
}
