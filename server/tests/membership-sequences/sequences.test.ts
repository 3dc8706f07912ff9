import { inject, test } from 'vitest';
import { playBatch } from './play.ts';

/** Number of batches. `npm run test:faults` plays 20, which are 5,000 sequences. */
const batchCount = Number(process.env['MEMBERSHIP_BATCHES'] ?? 1);

test.each(Array.from({ length: batchCount }, (_, at) => at + 1))(
  'a confirmation belongs to one person in 250 random sequences of actions (batch %i)',
  (number) => playBatch(inject('databases'), number),
);
