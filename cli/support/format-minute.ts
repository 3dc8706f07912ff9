/** Formats a time to the minute, such as "2026-11-23 06:14 UTC". */
export const formatMinute = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
