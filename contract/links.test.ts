import { describe, expect, test } from 'vitest';
import { splitLinks } from './links.ts';

const linksIn = (text: string) =>
  splitLinks(text)
    .map(({ url }) => url)
    .filter((url) => url !== null);

describe('splitLinks', () => {
  test.each([
    ['See https://a.example.', ['https://a.example']],
    [
      '(see http://a.example/x?b=1&c=2#d), or https://b.example!',
      ['http://a.example/x?b=1&c=2#d', 'https://b.example'],
    ],
    ['https://a.example/wiki/Rock_(Abeokuta)', ['https://a.example/wiki/Rock_(Abeokuta)']],
    ['“https://a.example”', ['https://a.example']],
    ['No link: a.example, ada@mail.example, javascript:alert(1), ftp://a.example, https://', []],
    ['<https://a.example/"onclick="x">', ['https://a.example/']],
  ])('finds the web addresses in %s', (text, links) => {
    expect(linksIn(text)).toEqual(links);
  });

  test('keeps the whole text, and where each part begins', () => {
    const text = 'One https://a.example, two\n\nhttps://b.example';
    const parts = splitLinks(text);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    for (const part of parts) expect(text.startsWith(part.text, part.at)).toBe(true);
    expect(splitLinks('')).toEqual([]);
  });
});
