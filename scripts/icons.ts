import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates `web/ui/icons.svg` from Lucide's icons: one small cached file instead of code for each icon. To add an icon,
 * add its name to `web/ui/icon-names.ts`, and run `node scripts/icons.ts`.
 */
import { iconNames } from '#web/ui/icon-names.ts';

type Node = [tag: string, attributes: Record<string, string>];

const stroke = 'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';

const symbols = await Promise.all(
  iconNames.map(async (name) => {
    const { __iconData: icon } = (await import(`lucide-react/icons/${name}`)) as { __iconData: { node: Node[] } };
    const shapes = icon.node.map(([tag, attributes]) => {
      const drawn = Object.entries(attributes).filter(([attribute]) => attribute !== 'key');
      const text = drawn.map(([attribute, value]) => ` ${attribute}="${value}"`);
      return `<${tag}${text.join('')}/>`;
    });
    return `<symbol id="${name}" viewBox="0 0 24 24" ${stroke}>${shapes.join('')}</symbol>`;
  }),
);
const licence = '<!-- Icons by Lucide (https://lucide.dev), ISC licence. Made by scripts/icons.ts; do not edit. -->';
writeFileSync(
  join(import.meta.dirname, '..', 'web', 'ui', 'icons.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg">${licence}\n${symbols.join('\n')}\n</svg>\n`,
);
