import { expect, test } from 'vitest';
import { parseBlocks, parseSpans } from './light-format.ts';

test('parseBlocks finds paragraphs and lists', () => {
  expect(parseBlocks('Dear all,\nwelcome.\n\n- one\n- **two**\n1. three\n\nBye')).toEqual([
    { kind: 'paragraph', lines: [[{ text: 'Dear all,' }], [{ text: 'welcome.' }]] },
    { kind: 'bullets', lines: [[{ text: 'one' }], [{ text: 'two', isBold: true }]] },
    { kind: 'numbers', lines: [[{ text: 'three' }]] },
    { kind: 'paragraph', lines: [[{ text: 'Bye' }]] },
  ]);
});

test('parseSpans finds bold text and links', () => {
  expect(parseSpans('See **the** [programme](https://a.example/x?y=1) now')).toEqual([
    { text: 'See ' },
    { text: 'the', isBold: true },
    { text: ' ' },
    { text: 'programme', url: 'https://a.example/x?y=1' },
    { text: ' now' },
  ]);
});

test.each([
  '[run](javascript:alert(1))',
  '[run](data:text/html,x)',
  '[run](//evil.example)',
  '[run](https://a.example/"onclick=x)',
  '<b>not HTML</b>',
  '2 ** 3 ** 4 = **',
  '****',
])('parseSpans leaves %s as text', (text) => {
  expect(parseSpans(text)).toEqual([{ text }]);
});
