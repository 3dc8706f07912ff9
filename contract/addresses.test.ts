import { expect, test } from 'vitest';
import { hasAddress } from './addresses.ts';

test.each([
  'https://evil.example',
  'hxxp://x',
  'www.evil',
  'Evil.com',
  'evil.com/login',
  'Your account at alumni-secure.com.ng expires',
  'write to boss@evil.example',
  'Ada <ada@evil.co>',
  'bit.ly/3xYz',
  't.me/evil',
  'login.university.xyz',
  '10.0.0.1',
  'xn--evl-hma.test',
  'почта.рф',
  'ｅｖｉｌ．ｃｏｍ',
  'ｈｔｔｐｓ：／／ｅｖｉｌ',
  'evil。com',
  'evil\u200B.com',
  'evil\u200D.\u200Dcom',
  'evil\u00AD.com',
  'ada＠evil.example',
  'EVIL.COM.',
  '(evil.com)',
])('finds the address in %j', (text) => {
  expect(hasAddress(text)).toBe(true);
});

test.each([
  'St. John',
  'St.John',
  "O'Brien",
  'J.R.',
  'J.R.R.',
  'B.Sc',
  'B.Sc/M.Sc',
  'M.Ed.',
  'B.Com',
  'Ph.D',
  'B.Sc.(Ed)',
  'Dr.Li',
  'Mr.Al-Amin',
  'Ọ́ládélé',
  'Adé.Bọ́lá',
  'Computer Science & Maths',
  'Elect/Elect',
  'Eng.Lit/History',
  'Node.js, ASP.NET',
  'C++, 3.14, 1:30',
  'Reading, e.g. novels … and more',
  'Music: jazz @ night',
  'A.I.',
])('takes %j for no address', (text) => {
  expect(hasAddress(text)).toBe(false);
});

test('takes no longer for long texts', () => {
  for (const unit of ['a', 'a.', '.', '@a', 'ﷺ']) expect(hasAddress(unit.repeat(20_000))).toBe(false);
});
