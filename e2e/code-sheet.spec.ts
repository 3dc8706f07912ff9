import { createCodeSheet } from '#server/domain/roster/code-sheet/code-sheet.ts';
import { expect, test } from './fixtures.ts';

const longName = `Ekwueme-Ogunbanjo, ${'Chukwuemeka Oluwadamilare '.repeat(8)}`;
const longWord = 'W'.repeat(250);

test('the sheet of codes prints eight slips on each page of A4, also with long names @desk', async ({ page }) => {
  const slips = Array.from({ length: 17 }, (_, at) => ({
    name: [longName, longWord, 'Bello, Ada'][at % 3] ?? '',
    department: at % 2 === 0 ? longName : 'Physics',
    yearGraduated: 2026,
    code: '0123456789',
  }));
  const sheet = { institution: longName, publicUrl: 'https://alumni.example', validUntil: new Date() };
  await page.setContent(createCodeSheet(slips, sheet));
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/gu)).toHaveLength(3);
  for (const [, width, height] of pdf.matchAll(/\/MediaBox\s*\[0 0 (?<width>[\d.]+) (?<height>[\d.]+)\]/gu))
    expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
  // Nothing is cut except the ends of names.
  const cut = await page
    .locator('article')
    .evaluateAll((all) => all.filter((slip) => slip.scrollHeight > slip.clientHeight + 1).length);
  expect(cut).toBe(0);
});
