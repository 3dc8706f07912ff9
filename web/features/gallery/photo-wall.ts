/**
 * Ratio between the longer and the shorter side above which previews are cropped (`server/platform/media/media.ts`).
 */
const maxRatio = 3;

/** Rows of `photo-wall` (`web/styles/theme.css`) per width of a column. */
const rowsPerWidth = 12;

export function measurePreview({ width, height }: { readonly width: number; readonly height: number }) {
  const shown = { width: Math.min(width, maxRatio * height), height: Math.min(height, maxRatio * width) };
  // A quarter of a row more than the rows is covered by the space around the title.
  return { ...shown, rows: `rows-${Math.ceil((rowsPerWidth * shown.height) / shown.width - 0.25)}` };
}
