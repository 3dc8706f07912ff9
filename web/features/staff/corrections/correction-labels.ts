import type { CorrectionReason } from '#contract/staff/corrections.ts';

export const correctionNames: Record<CorrectionReason, string> = {
  deceased: 'Has died',
  'wrong-class': 'Wrong class',
  'wrong-name': 'Wrong name',
  other: 'Something else',
};
