/** Returns a short name for a User-Agent header, such as "Chrome, Android". */
export function getDeviceName(userAgent: string): string {
  const known = (names: readonly [pattern: RegExp, name: string][]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = known([
    [/Edg/u, 'Edge'],
    [/OPR|Opera/u, 'Opera'],
    [/SamsungBrowser/u, 'Samsung Internet'],
    [/Firefox|FxiOS/u, 'Firefox'],
    [/Chrome|CriOS/u, 'Chrome'],
    [/Safari/u, 'Safari'],
  ]);
  const system = known([
    [/Android/u, 'Android'],
    [/iPhone|iPad/u, 'iPhone or iPad'],
    [/Windows/u, 'Windows'],
    [/Mac OS/u, 'Mac'],
    [/Linux/u, 'Linux'],
  ]);
  return [browser ?? 'Unknown browser', system].filter(Boolean).join(', ');
}
