/** Whether PostgreSQL refused a row because another one has its key (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: string }).code === '23505';

/**
 * Whether PostgreSQL refused what was to be written for what it is (SQLSTATE classes 22, a value that cannot be one, and 23, a rule
 * of the tables), so that the next row may be all right.
 */
export const isRefusedValue = (error: unknown): error is Error =>
  error instanceof Error && /^2[23][\dA-Z]{3}$/u.test((error as { code?: string }).code ?? '');
