export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Size of an uploaded portrait: twice the largest size that the server stores, about 100 KB. */
const portraitWidthPx = 768;
const portraitHeightPx = 960;

/** @throws Error if the browser cannot decode it */
export async function readPicture(file: File): Promise<{ url: string; image: HTMLImageElement }> {
  if (!file.type.startsWith('image/')) throw new Error('The file is not an image.');
  const url = URL.createObjectURL(file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch (error) {
    URL.revokeObjectURL(url);
    throw error;
  }
  return { url, image };
}

/** Crops a picture to an upright 4:5 portrait. @param area defaults to the centre @returns a JPEG as a data URL */
export const cropToPortrait = (image: HTMLImageElement, area: Area = centeredArea(image)): string =>
  draw(image, area, portraitWidthPx, portraitHeightPx);

/** Maximum length of the longer side of an uploaded photo. The server stores 1440 px. */
const maxPhotoSidePx = 1600;

/** Scales a photo down for the upload, upright. @returns a JPEG as a data URL */
export function shrinkPhoto(image: HTMLImageElement): string {
  const { naturalWidth, naturalHeight } = image;
  const scale = Math.min(1, maxPhotoSidePx / Math.max(naturalWidth, naturalHeight));
  const whole = { x: 0, y: 0, width: naturalWidth, height: naturalHeight };
  return draw(image, whole, Math.round(naturalWidth * scale), Math.round(naturalHeight * scale));
}

function draw(image: HTMLImageElement, area: Area, toWidth: number, toHeight: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = toWidth;
  canvas.height = toHeight;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser does not support 2D canvas drawing.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, toWidth, toHeight);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, toWidth, toHeight);
  return canvas.toDataURL('image/jpeg', 0.86);
}

function centeredArea({ naturalWidth, naturalHeight }: HTMLImageElement): Area {
  const ratio = portraitWidthPx / portraitHeightPx;
  const cropWidth = Math.min(naturalWidth, naturalHeight * ratio);
  const cropHeight = cropWidth / ratio;
  return {
    x: (naturalWidth - cropWidth) / 2,
    y: (naturalHeight - cropHeight) / 2,
    width: cropWidth,
    height: cropHeight,
  };
}
