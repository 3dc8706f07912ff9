import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { type Random, createRandom } from '#server/seed/random.ts';

/*
 * Generates broken pictures, files in other formats, and pictures that need far more memory than their size suggests.
 */

async function createOriginals(): Promise<Readonly<Record<'jpeg' | 'png' | 'webp', Buffer>>> {
  const drawn = sharp({ create: { width: 120, height: 150, channels: 3, background: '#336699' } }).withExif({
    IFD0: { Make: 'A camera', Copyright: 'Somebody' },
    IFD3: { GPSLatitude: '7/1 9/1 0/1', GPSLatitudeRef: 'N' },
  });
  return {
    jpeg: await drawn.clone().jpeg().toBuffer(),
    png: await drawn.clone().png().toBuffer(),
    webp: await drawn.clone().webp().toBuffer(),
  };
}

function createChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}

const signature = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1');

function createHeader(
  width: number,
  height: number,
  [depth, colour, interlace]: readonly number[] = [8, 2, 0],
): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width >>> 0, 0);
  data.writeUInt32BE(height >>> 0, 4);
  data.set([depth ?? 8, colour ?? 2, 0, 0, interlace ?? 0], 8);
  return createChunk('IHDR', data);
}

const createPng = (width: number, height: number, more: readonly Buffer[] = [], form?: readonly number[]) =>
  Buffer.concat([
    signature,
    createHeader(width, height, form),
    ...more,
    createChunk('IDAT', deflateSync(Buffer.alloc(2_000))),
    createChunk('IEND', Buffer.alloc(0)),
  ]);

const createBomb = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 });

function flipBits(image: Buffer, random: Random, times: number): Buffer {
  const copy = Buffer.from(image);
  for (let time = 0; time < times; time++) {
    const at = random.integer(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7));
  }
  return copy;
}

const otherFormats: readonly (readonly [string, Buffer])[] = [
  [
    'svg',
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>planted()</script><image href="file:///etc/passwd"/></svg>',
    ),
  ],
  ['gif', Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;', 'latin1')],
  ['tiff', Buffer.from('II*\u0000\u0008\u0000\u0000\u0000', 'latin1')],
  ['heic', Buffer.from('\u0000\u0000\u0000\u0018ftypheic\u0000\u0000\u0000\u0000mif1heic', 'latin1')],
  ['avif', Buffer.from('\u0000\u0000\u0000\u0018ftypavif\u0000\u0000\u0000\u0000mif1avif', 'latin1')],
  ['pdf', Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>')],
  ['html', Buffer.from('<!doctype html><script>planted()</script>')],
  ['zip', Buffer.from('PK\u0003\u0004', 'latin1')],
  ['bmp', Buffer.from('BM\u0000\u0000', 'latin1')],
];

type Images = Awaited<ReturnType<typeof createOriginals>>;
type Mutation = (images: Images, random: Random) => Buffer;

const pickAny = (images: Images, random: Random) => random.pick([images.jpeg, images.png, images.webp]);

export const mutations: Readonly<Record<string, Mutation>> = {
  'as it is': pickAny,
  'bits flipped': (images, random) => flipBits(pickAny(images, random), random, random.integer(1, 40)),
  'bits flipped at the beginning': (images, random) => {
    const image = pickAny(images, random);
    return Buffer.concat([flipBits(image.subarray(0, 60), random, random.integer(1, 6)), image.subarray(60)]);
  },
  cut: (images, random) => {
    const image = pickAny(images, random);
    return image.subarray(0, random.integer(0, image.length - 1));
  },
  'pieces swapped': (images, random) => {
    const image = pickAny(images, random);
    const [one = 0, other = 0] = [random.integer(8, image.length - 1), random.integer(8, image.length - 1)].toSorted(
      (a, b) => a - b,
    );
    return Buffer.concat([image.subarray(0, one), image.subarray(other), image.subarray(one, other)]);
  },
  'pieces repeated': (images, random) => {
    const image = pickAny(images, random);
    return Buffer.concat([
      image,
      ...Array.from({ length: random.integer(1, 30) }, () => image.subarray(random.integer(0, image.length >> 1))),
    ]);
  },
  'zero bytes': (images, random) => {
    const image = Buffer.from(pickAny(images, random));
    const at = random.integer(0, image.length - 1);
    return image.fill(0, at, Math.min(image.length, at + random.integer(1, 200)));
  },
  'something appended': (images, random) =>
    Buffer.concat([
      pickAny(images, random),
      random.pick(otherFormats)[1],
      Buffer.alloc(random.integer(0, 200_000), 'a'),
    ]),
  'huge by its own word': (_, random) =>
    createPng(
      random.pick([65_535, 100_000, 2 ** 31 - 1, 2 ** 32 - 1, 20_000]),
      random.pick([65_535, 2 ** 31 - 1, 1, 20_000]),
    ),
  'no size at all': (_, random) => createPng(random.pick([0, 1]), 0),
  'another form than it says': (_, random) =>
    createPng(
      40,
      50,
      [],
      [random.pick([1, 2, 3, 8, 16, 255]), random.pick([0, 1, 2, 3, 4, 6, 99]), random.pick([0, 1, 7])],
    ),
  'a JPEG of another size': (images, random) => {
    const image = Buffer.from(images.jpeg);
    const at = image.indexOf(Buffer.from([0xff, 0xc0]));
    image.writeUInt16BE(random.integer(0, 65_535), at + 5);
    image.writeUInt16BE(random.pick([0, 1, 65_535, 65_500]), at + 7);
    return image;
  },
  'a compressed profile without end': (_, random) =>
    createPng(40, 50, [
      createChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), createBomb(random.pick([10, 60]) * 1_000_000)])),
    ]),
  'compressed text without end': (_, random) =>
    createPng(
      40,
      50,
      Array.from({ length: random.integer(1, 20) }, () =>
        createChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), createBomb(10_000_000)])),
      ),
    ),
  'pixels without end': (_, random) =>
    Buffer.concat([
      signature,
      createHeader(4_000, 4_000),
      createChunk('IDAT', createBomb(random.pick([48, 100]) * 1_000_000)),
      createChunk('IEND', Buffer.alloc(0)),
    ]),
  'thousands of pieces': (images) =>
    Buffer.concat([
      images.png.subarray(0, 33),
      ...Array.from({ length: 20_000 }, () => createChunk('tEXt', Buffer.from('a\0b'))),
      images.png.subarray(33),
    ]),
  'camera data that lie': (images, random) => {
    const image = Buffer.from(images.jpeg);
    const at = image.indexOf('Exif');
    for (let time = 0; time < 20; time++)
      image.writeUInt32BE(random.integer(0, 2 ** 32 - 1), at + 6 + random.integer(0, 60));
    return image;
  },
  'camera data without end': (images) => {
    const piece = Buffer.concat([
      Buffer.from([0xff, 0xe1, 0xff, 0xff]),
      Buffer.from('Exif\0\0II*\0\b\0\0\0', 'latin1'),
      Buffer.alloc(65_519, 0xff),
    ]);
    return Buffer.concat([
      images.jpeg.subarray(0, 2),
      ...Array.from({ length: 50 }, () => piece),
      images.jpeg.subarray(2),
    ]);
  },
  'a WebP that moves': (images, random) => {
    const frame = images.webp.subarray(12);
    const body = Buffer.concat([
      Buffer.from('WEBPVP8X\n\0\0\0\x02\0\0\0', 'latin1'),
      Buffer.from([119, 0, 0, 149, 0, 0]),
      Buffer.from('ANIM\x06\0\0\0\0\0\0\0\0\0', 'latin1'),
      ...Array.from({ length: random.integer(1, 200) }, () => {
        const head = Buffer.alloc(24);
        head.write('ANMF', 'latin1');
        head.writeUInt32LE(16 + frame.length, 4);
        return Buffer.concat([head, frame]);
      }),
    ]);
    const head = Buffer.alloc(8);
    head.write('RIFF', 'latin1');
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body]);
  },
  'a picture in two formats': (images, random) =>
    Buffer.concat([
      random.pick([
        Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0x01, 0x00]),
        signature,
        Buffer.from('RIFF\xff\xff\0\0WEBP', 'latin1'),
      ]),
      random.pick(otherFormats)[1],
      pickAny(images, random),
    ]),
  'something else in disguise': (_, random) => random.pick(otherFormats)[1],
  'only the beginning': (_, random) =>
    random.pick([
      signature,
      Buffer.from([0xff, 0xd8, 0xff]),
      Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
      Buffer.alloc(0),
    ]),
  'only noise': (_, random) =>
    Buffer.from(Array.from({ length: random.integer(1, 5_000) }, () => random.integer(0, 255))),
  'noise behind a right beginning': (_, random) =>
    Buffer.concat([
      random.pick([signature, Buffer.from([0xff, 0xd8, 0xff, 0xe0])]),
      Buffer.from(Array.from({ length: 3_000 }, () => random.integer(0, 255))),
    ]),
};

const invalidEncodings: readonly ((base64: string) => string)[] = [
  (base64) => `data:image/svg+xml;base64,${base64}`,
  (base64) => `data:image/png;base64;base64,${base64}`,
  (base64) => `data:image/png,${base64}`,
  (base64) => `data:image/png;base64, ${base64}`,
  (base64) => `data:image/png;base64,${base64}=`,
  (base64) => `data:image/png;base64,${base64.replaceAll('A', '-')}`,
  (base64) => `data:image/png;base64,${base64.slice(0, 50)}\u0000${base64.slice(50)}`,
  (base64) => `data:image/png;base64,${base64.slice(1)}`,
  (base64) => base64,
  () => 'data:image/png;base64,',
  () => 'data:image/png;base64,====',
  () => 'file:///etc/passwd',
  () => 'https://evil.example/a.png',
  () => '/media/../../secrets/384.webp',
  () => '/media/AAAAAAAAAAAAAAAAAAAAAA/384.webp',
];

export interface BadPicture {
  readonly sort: string;
  readonly text: string;
  readonly misspelled: string;
  readonly form: { readonly type: string; readonly body: Buffer };
}

const boundaries = ['frontier', '-', 'a'.repeat(70), 'a'.repeat(5_000), "'()+_,-./:=?", '"quoted words"', '', '"'];

function createForm(image: Buffer, random: Random): BadPicture['form'] {
  const boundary = random.pick(boundaries);
  const inside = random.pick([boundary, boundary.replaceAll('"', ''), `${boundary}x`, '']);
  const name = random.pick(['image', 'image"; x="', '\0', '__proto__', '', 'a'.repeat(20_000), '\uD83D']);
  const file = random.pick(['a.png', '../../../etc/passwd', 'C:\\a.png', '\u202Egnp.exe', '', 'a'.repeat(20_000)]);
  const newline = random.pick(['\r\n', '\r\n', '\r\n', '\n', '\r', '']);
  const lines = [
    `Content-Disposition: form-data; name="${name}"; filename="${file}"`,
    `Content-Type: ${random.pick(['image/png', 'text/html', 'multipart/mixed; boundary=inner', 'a'.repeat(10_000)])}`,
    ...random.pick([
      [],
      ['Content-Transfer-Encoding: base64'],
      Array<string>(3_000).fill('X: y'),
      ['no header at all'],
    ]),
  ];
  const part = Buffer.concat([
    Buffer.from([`--${inside}`, ...lines, '', ''].join(newline)),
    image,
    Buffer.from(newline),
  ]);
  const parts = Array<Buffer>(random.pick([0, 1, 1, 1, 2, 300])).fill(
    image.length > 100_000 ? part.subarray(0, 2_000) : part,
  );
  const whole = Buffer.concat([...parts, Buffer.from(random.pick([`--${inside}--${newline}`, '', '--']))]);
  return {
    type: random.pick([
      `multipart/form-data; boundary=${boundary}`,
      `multipart/form-data; boundary=${boundary}`,
      `multipart/form-data; boundary=other; boundary=${boundary}`,
      `multipart/form-data; charset=utf-7; boundary=${boundary}`,
      'multipart/form-data',
      'multipart/mixed; boundary=frontier',
      'application/x-www-form-urlencoded',
    ]),
    body: random.chance(0.5) && whole.length > 0 ? flipBits(whole, random, random.integer(1, 40)) : whole,
  };
}

/** Returns a function that creates invalid pictures. The same number creates the same picture. */
export async function createPictureGenerator(): Promise<(number: number) => BadPicture> {
  const images = await createOriginals();
  const sorts = Object.keys(mutations);
  return (number) => {
    const random = createRandom(number);
    const sort = sorts[number % sorts.length] ?? 'as it is';
    const bytes = mutations[sort]?.(images, random) ?? Buffer.alloc(0);
    const base64 = bytes.toString('base64');
    return {
      sort,
      text: `data:image/${random.pick(['jpeg', 'png', 'webp'])};base64,${base64}`,
      misspelled: random.pick(invalidEncodings)(base64),
      form: createForm(bytes, random),
    };
  };
}
