import config from './playwright.config.ts';

/**
 * `npm run pictures`: runs e2e/pictures*.ts on a campus of 2,000 invented people, and with `PICTURES` also on a tablet and
 * a large screen.
 */
process.env['E2E_PEOPLE'] = '2000';
const others = [
  { name: 'tablet', use: { viewport: { width: 820, height: 1180 }, hasTouch: true } },
  { name: 'wide', use: { viewport: { width: 1920, height: 1080 } } },
];
export default {
  ...config,
  testMatch: 'pictures*.ts',
  reporter: 'list',
  timeout: 900_000,
  projects: [...(config.projects ?? []), ...(process.env['PICTURES'] ? others : [])],
};
