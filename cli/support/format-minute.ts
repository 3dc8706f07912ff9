export const formatMinute = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
