import { buildIfStale } from './build-pages.ts';

await buildIfStale(console.log);
await import('../bench/people-search.ts');
