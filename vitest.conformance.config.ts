import { defineConfig } from 'vitest/config';

/** The last runner of `npm test`: docs/conformance.md against the reports of the other two. */
export default defineConfig({
  test: {
    include: ['scripts/conformance.test.ts'],
    disableConsoleIntercept: true,
    reporters: ['default', ['json', { outputFile: 'test-results/conformance.json' }]],
  },
});
