export const formatCount = (count: number): string => count.toLocaleString('en');

/** Returns a text such as "1 person" or "1,200 people". */
export const formatPeople = (count: number): string => `${formatCount(count)} ${count === 1 ? 'person' : 'people'}`;
