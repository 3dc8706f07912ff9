import { test } from 'vitest';
import { batchesPerHalf, playBatch } from './play.ts';

test.each(Array.from({ length: batchesPerHalf }, (_, at) => batchesPerHalf + at + 1))(
  'a confirmation belongs to one person in 250 random sequences of actions (batch %i)',
  playBatch,
);
