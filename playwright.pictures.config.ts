import config from './playwright.config.ts';

/** `npm run pictures`: runs e2e/pictures.ts at both sizes, on a campus of 2,000 invented people. */
process.env['E2E_PEOPLE'] = '2000';
export default { ...config, testMatch: 'pictures.ts', reporter: 'list', timeout: 900_000 };
