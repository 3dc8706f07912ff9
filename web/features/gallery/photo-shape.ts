/**
 * Ratio between the longer and the shorter side above which previews are cropped (`server/platform/media/media.ts`).
 */
const maxRatio = 3;

/** Returns the CSS class for the aspect ratio of a photo in `photo-rows` (`web/styles/theme.css`). */
export const shapeOf = ({ width, height }: { width: number; height: number }): string =>
  `shape-${Math.round(12 * Math.min(Math.max(width / height, 1 / maxRatio), maxRatio))}`;
