/** Whether PostgreSQL refused a row because another one has its key (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: string }).code === '23505';
