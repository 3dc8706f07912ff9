import { defineConfig } from 'vitest/config';

/** Last runner of `npm test`: compares docs/conformance.md and docs/security.md with the reports of the other two. */
export default defineConfig({
  test: {
    include: ['scripts/conformance.test.ts'],
    disableConsoleIntercept: true,
    reporters: ['default', ['json', { outputFile: 'test-results/conformance.json' }]],
  },
});
