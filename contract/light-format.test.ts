import { expect, test } from 'vitest';
import { parseBlocks, parseSpans, toPlainText } from './light-format.ts';

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

test('parseSpans finds web addresses, and toPlainText removes the marks', () => {
  expect(parseSpans('At https://a.example/x.')).toEqual([
    { text: 'At ' },
    { text: 'https://a.example/x', url: 'https://a.example/x' },
    { text: '.' },
  ]);
  expect(toPlainText('- **Now:** [sign up](https://a.example)')).toBe('- Now: sign up (https://a.example)');
});

test.each([
  '[run](javascript:alert(1))',
  '[run](data:text/html,x)',
  '[run](//evil.example)',
  '<b>not HTML</b>',
  '2 ** 3 ** 4 = **',
  '****',
])('parseSpans leaves %s as text', (text) => {
  expect(parseSpans(text)).toEqual([{ text }]);
});
