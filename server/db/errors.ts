export const isUniqueViolation = (error: unknown): boolean => (error as { code?: string }).code === '23505';

/**
 * Returns whether PostgreSQL rejected the value of a row: invalid data (SQLSTATE class 22) or a violated constraint
 * (class 23). Other rows can still be written.
 */
export const isRefusedValue = (error: unknown): error is Error =>
  error instanceof Error && /^2[23][\dA-Z]{3}$/u.test((error as { code?: string }).code ?? '');
