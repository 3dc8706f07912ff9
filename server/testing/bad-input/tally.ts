export interface Tally {
  count(route: string, status: number, ms: number, kinds: Iterable<string>, what: string): void;
  readonly requests: number;
  readonly kinds: ReadonlyMap<string, number>;
  readonly routes: ReadonlyMap<string, ReadonlyMap<number, number>>;
  report(): string;
}

const add = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1);

export function createTally(): Tally {
  const kinds = new Map<string, number>();
  const routes = new Map<string, Map<number, number>>();
  let slowest: { ms: number; route: string; what: string }[] = [];
  let requests = 0;
  const started = performance.now();
  return {
    kinds,
    routes,
    get requests() {
      return requests;
    },
    count: (route, status, ms, tried, what) => {
      requests++;
      const statuses = routes.get(route) ?? new Map<number, number>();
      routes.set(route, statuses);
      add(statuses, status);
      for (const kind of tried) add(kinds, kind);
      if (slowest.length >= 10 && ms <= (slowest.at(-1)?.ms ?? 0)) return;
      slowest = [...slowest, { ms, route, what }].toSorted((one, other) => other.ms - one.ms).slice(0, 10);
    },
    report: () => {
      const classes = new Map<string, number>();
      for (const statuses of routes.values())
        for (const [status, count] of statuses) {
          const name = `${Math.floor(status / 100)}xx`;
          classes.set(name, (classes.get(name) ?? 0) + count);
        }
      const list = <Key extends string | number>(counts: ReadonlyMap<Key, number>) =>
        [...counts]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([key, count]) => `${key}: ${count}`)
          .join(', ');
      return [
        `${requests} requests in ${Math.round((performance.now() - started) / 1000)} s; ${list(classes)}`,
        `kinds: ${list(kinds)}`,
        ...[...routes]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([route, statuses]) => `  ${route}: ${list(statuses)}`),
        'the slowest ten:',
        ...slowest.map(({ ms, route, what }) => `  ${Math.round(ms)} ms ${route} ${what.slice(0, 160)}`),
      ].join('\n');
    },
  };
}

/** Returns whether more than 95 % of the responses were 401 or 429, so that the route was hardly tested. */
export function isRefusedEarly(statuses: ReadonlyMap<number, number>): boolean {
  const all = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  return (statuses.get(401) ?? 0) + (statuses.get(429) ?? 0) > 0.95 * all;
}

export const hasSucceeded = (statuses: ReadonlyMap<number, number>): boolean =>
  [...statuses.keys()].some((status) => status < 400);
