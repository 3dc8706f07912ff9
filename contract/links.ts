export interface TextPart {
  readonly text: string;
  /** The address that the part is; null for other text. */
  readonly url: string | null;
  readonly at: number;
}

const webAddress = /https?:\/\/[^\s<>"'“”‘’]+/giu;

/**
 * Splits a text that people wrote at the web addresses in it. The shown text of a link is always its address, so that
 * no link can mislead.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(webAddress)) {
    const address = trimPunctuation(found);
    if (!isUrl(address)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), url: null, at: end });
    parts.push({ text: address, url: address, at: index });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), url: null, at: end });
  return parts;
}

/** Returns whether a text is a valid URL. `URL.canParse` needs Chrome 120, and Android 7 ends at 119. */
function isUrl(address: string): boolean {
  try {
    return Boolean(new URL(address));
  } catch {
    return false;
  }
}

function trimPunctuation(found: string): string {
  let address = found.replace(/[.,;:!?…]+$/u, '');
  while (/[)\]]$/u.test(address) && !/[([]/u.test(address)) address = address.slice(0, -1).replace(/[.,;:!?…]+$/u, '');
  return address;
}
