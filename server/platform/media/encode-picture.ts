import type { Sharp } from 'sharp';

/** The sizes in which pictures are stored, in pixels. The width or length is the file name: `384.webp`. */
export interface PictureSizes {
  readonly portrait: { readonly widths: readonly number[]; readonly heightPerWidth: number };
  /** Photos are stored with at most `maxLength` on the longer side, and as a thumbnail of the same aspect ratio. */
  readonly photo: { readonly thumbnailWidth: number; readonly maxLength: number };
}

export type Files = ReadonlyMap<number, Buffer>;

export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
}

/** Loads the image codecs with the first picture. */
const loadSharp = async () => (await import('./sharp.ts')).sharp;

/** Limit on the pixels of an upload, enough for photos from phones. Larger pictures may be decompression bombs. */
const maxInputPixels = 4096 * 4096;

/** Time limit of each processing step. The largest allowed pictures take less than a second. */
const stepTimeoutSeconds = 10;

function isKnownFormat(image: Buffer): boolean {
  const begins = (text: string, at = 0) => image.subarray(at, at + text.length).toString('latin1') === text;
  return begins('\xFF\xD8\xFF') || begins('\x89PNG\r\n\x1A\n') || (begins('RIFF') && begins('WEBP', 8));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Decoded {
  readonly pixels: () => Sharp;
  readonly size: Size;
}

const maxAspectRatio = 3;

/**
 * Returns the area to keep: the middle of a very long picture, or the whole of any other picture. Otherwise a picture
 * of 16,000 × 4 pixels would be enlarged to billions of pixels before it is cropped. That takes minutes and is not
 * stopped by the time limit.
 */
function cropToMaxAspectRatio({ width: fullWidth, height: fullHeight }: Size): Size & { left: number; top: number } {
  const [width, height] = [
    Math.min(fullWidth, maxAspectRatio * fullHeight),
    Math.min(fullHeight, maxAspectRatio * fullWidth),
  ];
  return { width, height, left: Math.floor((fullWidth - width) / 2), top: Math.floor((fullHeight - height) / 2) };
}

/** Decodes a picture, rotated upright. Later steps use only the pixels, so metadata is lost. */
async function decode(image: Buffer, shape: (pipeline: Sharp, size: Size) => Sharp): Promise<Decoded> {
  if (!isKnownFormat(image)) throw new UnreadablePicture('The file is not a JPEG, PNG or WebP.');
  const sharp = await loadSharp();
  try {
    const upright = sharp(image, { limitInputPixels: maxInputPixels, failOn: 'error' })
      .timeout({ seconds: stepTimeoutSeconds })
      .autoOrient();
    const { autoOrient } = await sharp(image, { limitInputPixels: maxInputPixels }).metadata();
    const pixels = await shape(upright, autoOrient)
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      pixels: () => sharp(pixels.data, { raw: pixels.info }).timeout({ seconds: stepTimeoutSeconds }),
      size: pixels.info,
    };
  } catch (error) {
    throw new UnreadablePicture((error as Error).message, { cause: error });
  }
}

export async function checkPicture(image: Buffer): Promise<void> {
  await decode(image, (upright) => upright.resize(8, 8));
}

const toWebp = (pixels: Sharp): Promise<Buffer> => pixels.webp({ quality: 72, effort: 4 }).toBuffer();

export async function encodePortrait(
  image: Buffer,
  { widths, heightPerWidth }: PictureSizes['portrait'],
): Promise<Files> {
  // Decodes at twice the largest size, for quality.
  const width = 2 * Math.max(...widths);
  const { pixels } = await decode(image, (upright, size) =>
    upright
      .extract(cropToMaxAspectRatio(size))
      .resize(width, width * heightPerWidth, { fit: 'cover', position: 'attention' }),
  );
  const files = new Map<number, Buffer>();
  for (const size of widths) files.set(size, await toWebp(pixels().resize(size, size * heightPerWidth)));
  return files;
}

export async function encodePhoto(
  image: Buffer,
  { thumbnailWidth, maxLength }: PictureSizes['photo'],
): Promise<{ files: Files; width: number; height: number }> {
  const { pixels, size } = await decode(image, (upright) =>
    upright.resize(maxLength, maxLength, { fit: 'inside', withoutEnlargement: true }),
  );
  const { data, info } = await pixels().webp({ quality: 76, effort: 4 }).toBuffer({ resolveWithObject: true });
  const thumbnail = pixels()
    .extract(cropToMaxAspectRatio(size))
    .resize({ width: thumbnailWidth, withoutEnlargement: true });
  return {
    files: new Map<number, Buffer>([
      [maxLength, data],
      [thumbnailWidth, await toWebp(thumbnail)],
    ]),
    width: info.width,
    height: info.height,
  };
}

/** Encodes the photo of a document, at a size at which a page of A4 is readable. */
export async function encodeDocument(image: Buffer): Promise<Buffer> {
  const size = { width: 2000, height: 2000, fit: 'inside', withoutEnlargement: true } as const;
  return toWebp((await decode(image, (upright) => upright.resize(size))).pixels());
}

/** Converts a stored picture to JPEG, the only format that the address books of phones support. */
export const toJpeg = async (webp: Buffer): Promise<Buffer> =>
  (await loadSharp())(webp).jpeg({ quality: 82 }).toBuffer();
