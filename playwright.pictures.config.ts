import config from './playwright.config.ts';

/** `npm run pictures`: e2e/pictures.ts at both sizes, on the demonstration's campus of 2,000 people. */
process.env['E2E_PEOPLE'] = '2000';
export default { ...config, testMatch: 'pictures.ts', reporter: 'list', timeout: 900_000 };
