import sharp from 'sharp';
import type { Random } from './random.ts';

const skinColours = ['#4a2c1d', '#5b3622', '#6d4329', '#7f5032', '#94623f', '#a8744d'] as const;
const hairColours = ['#15100e', '#1d1512', '#2a1d17', '#3a2a22'] as const;
const clothColours = [
  '#1f3f9e',
  '#0f766e',
  '#9f1239',
  '#b45309',
  '#4d7c0f',
  '#6b21a8',
  '#0e7490',
  '#be185d',
  '#334155',
  '#a16207',
] as const;
const backgroundColours = [
  '#dbe4f6',
  '#dcefe9',
  '#f6e3dc',
  '#f3ecd2',
  '#e7e0f3',
  '#e0edf6',
  '#f4dfe8',
  '#e5ecdb',
] as const;

/** Allows sharp to read SVG for these drawings; the server blocks it for uploads (platform/media/media.ts). */
const svg = { operation: ['VipsForeignLoadSvg'] };

/**
 * Draws a generated portrait as a PNG of 768 by 960 pixels. Call it only before the server accepts requests, because
 * sharp accepts SVG files during the call.
 * @param gender selects the possible hair styles and headwear
 */
export async function paintPortrait(random: Random, gender: string): Promise<Buffer> {
  sharp.unblock(svg);
  try {
    return await sharp(Buffer.from(drawPortrait(random, gender)))
      .png({ compressionLevel: 1 })
      .toBuffer();
  } finally {
    sharp.block(svg);
  }
}

function drawPortrait(random: Random, gender: string): string {
  const skin = random.pick(skinColours);
  const hair = random.pick(hairColours);
  const cloth = random.pick(clothColours);
  const accent = random.pick(clothColours.filter((colour) => colour !== cloth));
  const ground = random.pick(backgroundColours);
  const face = { width: random.integer(84, 98), height: random.integer(110, 124) };
  const hairstyle = random.pick(gender === 'female' ? femaleHair : maleHair);
  const { behind, above } = hairstyle({ hair, accent, ...face });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 600" width="768" height="960">
<rect width="480" height="600" fill="${ground}"/>
<circle cx="${random.integer(60, 420)}" cy="${random.integer(60, 300)}" r="${random.integer(110, 210)}" fill="#fff" opacity="0.45"/>
${behind}
${shoulders(random, cloth, accent, skin)}
<ellipse cx="240" cy="262" rx="${face.width}" ry="${face.height}" fill="${skin}"/>
<ellipse cx="${240 - face.width}" cy="268" rx="13" ry="22" fill="${skin}"/><ellipse cx="${240 + face.width}" cy="268" rx="13" ry="22" fill="${skin}"/>
${features(random, hair)}
${above}
${random.chance(0.28) ? glasses : ''}
</svg>`;
}

interface Head {
  hair: string;
  accent: string;
  width: number;
  height: number;
}
type Hairstyle = (head: Head) => { behind: string; above: string };

const cap = (width: number, height: number, fill: string, low = 0.36) => {
  const x = width + 5;
  const y = 262 - height * low;
  return `<path d="M${240 - x} ${y + 22}C${240 - x - 4} ${262 - height - 46} ${240 + x + 4} ${262 - height - 46} ${240 + x} ${y + 22}C${240 + x * 0.8} ${y - 14} ${240 - x * 0.8} ${y - 14} ${240 - x} ${y + 22}z" fill="${fill}"/>`;
};

const maleHair: Hairstyle[] = [
  ({ hair, width, height }) => ({ behind: '', above: cap(width, height, hair) }),
  ({ hair, width, height }) => ({ behind: '', above: cap(width, height, hair, 0.5) }),
  ({ hair, width, height }) => ({
    behind: `<ellipse cx="240" cy="${262 - height * 0.42}" rx="${width + 26}" ry="${height * 0.82}" fill="${hair}"/>`,
    above: cap(width, height, hair, 0.42),
  }),
  // A fila: a soft cap that leans to one side.
  ({ accent, width, height }) => ({
    behind: '',
    above: `<path d="M${240 - width - 8} ${262 - height * 0.42}C${240 - width} ${262 - height - 60} ${240 + width * 0.4} ${262 - height - 84} ${240 + width + 34} ${262 - height - 38}C${240 + width + 26} ${262 - height * 0.66} ${240 + width + 12} ${262 - height * 0.5} ${240 + width + 8} ${262 - height * 0.42}C${240 + width * 0.5} ${262 - height * 0.62} ${240 - width * 0.5} ${262 - height * 0.62} ${240 - width - 8} ${262 - height * 0.42}z" fill="${accent}"/>`,
  }),
  ({ hair, width, height }) => ({
    behind: '',
    above: `${cap(width, height, hair)}<path d="M${240 - width + 2} 282C${240 - width + 8} ${262 + height + 18} ${240 + width - 8} ${262 + height + 18} ${240 + width - 2} 282C${240 + width - 18} ${262 + height * 0.62} 274 ${262 + height * 0.52} 240 ${262 + height * 0.54}C206 ${262 + height * 0.52} ${240 - width + 18} ${262 + height * 0.62} ${240 - width + 2} 282z" fill="${hair}"/><path d="M212 318q28 12 56 0" stroke="#7a3328" stroke-width="6" fill="none" stroke-linecap="round"/>`,
  }),
];

const femaleHair: Hairstyle[] = [
  // An afro.
  ({ hair, width, height }) => ({
    behind: `<ellipse cx="240" cy="${262 - height * 0.34}" rx="${width + 58}" ry="${height + 26}" fill="${hair}"/>`,
    above: cap(width, height, hair, 0.46),
  }),
  // Long braids.
  ({ hair, width, height }) => ({
    behind: `<path d="M${240 - width - 22} 236C${240 - width - 26} ${262 - height - 62} ${240 + width + 26} ${262 - height - 62} ${240 + width + 22} 236L${240 + width + 36} 500H${240 - width - 36}z" fill="${hair}"/>`,
    above: cap(width, height, hair, 0.44),
  }),
  // A bun.
  ({ hair, width, height }) => ({
    behind: `<circle cx="240" cy="${262 - height - 36}" r="44" fill="${hair}"/>`,
    above: cap(width, height, hair, 0.42),
  }),
  // A gele: a tied headwrap.
  ({ accent, width, height }) => ({
    behind: `<path d="M${240 - width - 40} ${262 - height * 0.6}C${240 - width - 70} ${262 - height - 100} 210 ${262 - height - 110} 250 ${262 - height - 64}C300 ${262 - height - 128} ${240 + width + 80} ${262 - height - 70} ${240 + width + 34} ${262 - height * 0.56}z" fill="${accent}"/>`,
    above: `<path d="M${240 - width - 9} ${262 - height * 0.34}C${240 - width - 6} ${262 - height - 40} ${240 + width + 6} ${262 - height - 40} ${240 + width + 9} ${262 - height * 0.34}C${240 + width * 0.55} ${262 - height * 0.66} ${240 - width * 0.55} ${262 - height * 0.66} ${240 - width - 9} ${262 - height * 0.34}z" fill="${accent}"/><path d="M${240 - width} ${262 - height * 0.56}Q240 ${262 - height * 0.98} ${240 + width} ${262 - height * 0.56}" stroke="#fff" stroke-opacity="0.35" stroke-width="7" fill="none"/>`,
  }),
  // A hijab.
  ({ accent, width, height }) => ({
    behind: `<path d="M240 ${262 - height - 34}C${240 - width - 64} ${262 - height - 30} ${240 - width - 48} 330 ${240 - width - 66} 470H${240 + width + 66}C${240 + width + 48} 330 ${240 + width + 64} ${262 - height - 30} 240 ${262 - height - 34}z" fill="${accent}"/>`,
    above: `<path fill-rule="evenodd" d="M240 ${262 - height - 34}C${240 - width - 62} ${262 - height - 30} ${240 - width - 44} 330 ${240 - width - 40} 420C${240 - 60} 470 ${240 + 60} 470 ${240 + width + 40} 420C${240 + width + 44} 330 ${240 + width + 62} ${262 - height - 30} 240 ${262 - height - 34}zM240 ${262 - height * 0.72}C${240 + width * 0.86} ${262 - height * 0.7} ${240 + width * 0.9} 300 240 ${262 + height * 0.9}C${240 - width * 0.9} 300 ${240 - width * 0.86} ${262 - height * 0.7} 240 ${262 - height * 0.72}z" fill="${accent}"/>`,
  }),
];

function shoulders(random: Random, cloth: string, accent: string, skin: string): string {
  const neck = `<path d="M200 340h80v78c0 26-80 26-80 0z" fill="${skin}"/><path d="M200 372q40 34 80 0v-20h-80z" fill="#000" opacity="0.16"/>`;
  const body = `<path d="M46 600C54 474 128 432 200 418q40 36 80 0c72 14 146 56 154 182z" fill="${cloth}"/>`;
  const details = [
    `<path d="M200 418q40 36 80 0l14 10q-54 52-108 0z" fill="${accent}"/>`,
    `<path d="M196 420l44 70 44-70-14-6q-30 24-60 0z" fill="#fff"/><path d="M240 470l-13 16 13 110 13-110z" fill="${accent}"/>`,
    `<path d="M226 438h28v120h-28z" fill="${accent}" opacity="0.85"/><circle cx="240" cy="470" r="5" fill="#fff"/><circle cx="240" cy="506" r="5" fill="#fff"/>`,
    `<path d="M120 452c24 52 34 96 38 148M360 452c-24 52-34 96-38 148" stroke="${accent}" stroke-width="18" fill="none" opacity="0.8"/>`,
  ];
  return neck + body + random.pick(details);
}

function features(random: Random, hair: string): string {
  const gap = random.integer(36, 42);
  const brow = random.integer(-3, 3);
  const eyes = [-gap, gap]
    .map(
      (x) =>
        `<ellipse cx="${240 + x}" cy="254" rx="13" ry="9.5" fill="#fff"/><circle cx="${240 + x}" cy="254" r="7.5" fill="#1c120d"/><circle cx="${240 + x + 2.5}" cy="251.5" r="2.2" fill="#fff"/>`,
    )
    .join('');
  const brows = `<path d="M${240 - gap - 18} ${231 + brow}q18 ${-9 - brow} 36 0M${240 + gap - 18} 231q18 ${-9 - brow} 36 ${brow}" stroke="${hair}" stroke-width="6" fill="none" stroke-linecap="round"/>`;
  const nose = `<path d="M234 262c-6 18-12 26-8 32 6 6 22 6 28 0 4-6-2-14-8-32" stroke="#000" stroke-opacity="0.28" stroke-width="4" fill="none" stroke-linecap="round"/>`;
  const mouths = [
    `<path d="M208 316q32 30 64 0q-32 10-64 0z" fill="#fff" stroke="#7a3328" stroke-width="5" stroke-linejoin="round"/>`,
    `<path d="M212 318q28 18 56 0" stroke="#7a3328" stroke-width="6.5" fill="none" stroke-linecap="round"/>`,
    `<path d="M214 318q13-9 26-3q13-6 26 3q-26 22-52 0z" fill="#8f3f35"/>`,
  ];
  return brows + eyes + nose + random.pick(mouths);
}

const glasses = `<g fill="none" stroke="#1c2434" stroke-width="5"><rect x="176" y="236" width="52" height="38" rx="14"/><rect x="252" y="236" width="52" height="38" rx="14"/><path d="M228 250q12-8 24 0M176 248l-28-6M304 248l28-6"/></g>`;
