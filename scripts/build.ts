import { buildIfStale } from './build-pages.ts';

if (!(await buildIfStale(console.log))) console.log('The build is up to date.');
