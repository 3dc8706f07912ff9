import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * The metrics of this process for `/metrics`. Labels must not contain personal data or unbounded values, because each
 * value creates a time series that is never deleted.
 */
export interface Metrics {
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  histogram<Label extends string>(name: string, help: string, labels: readonly Label[]): Histogram<Label>;
  gauge<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    collect?: (gauge: Gauge<Label>) => Promise<void> | void,
  ): Gauge<Label>;
  readonly registry: Registry;
  text(): Promise<string>;
  measureProcess(): void;
}

const durationBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const processNumberVariable = 'ARCHIVE_PROCESS';

/**
 * Creates a metrics registry for one server, so that several servers in one process (as in tests) stay separate. Each
 * time series has the label `process`. If series were summed here, a restarted process would look like a counter reset
 * of all processes.
 */
export function createMetrics(number = process.env[processNumberVariable]): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process: number === undefined ? 'main' : `web-${number}` });
  const shared = { registers: [registry] };
  return {
    counter: (name, help, labels) =>
      (registry.getSingleMetric(name) as Counter<(typeof labels)[number]> | undefined) ??
      new Counter({ name, help, labelNames: labels, ...shared }),
    histogram: (name, help, labels) =>
      (registry.getSingleMetric(name) as Histogram<(typeof labels)[number]> | undefined) ??
      new Histogram({ name, help, labelNames: labels, buckets: durationBucketsSeconds, ...shared }),
    gauge: (name, help, labels, collect) =>
      new Gauge({
        name,
        help,
        labelNames: labels,
        ...shared,
        ...(collect && {
          collect() {
            return collect(this);
          },
        }),
      }),
    registry,
    text: () => registry.metrics(),
    measureProcess: () => {
      // In milliseconds. The default of 10 wakes an idle process a hundred times per second.
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
      // prom-client's own metric of this name is left out when it joins the metrics of several processes.
      const name = 'process_start_time_seconds';
      registry.removeSingleMetric(name);
      const help = 'Start time of the process since unix epoch in seconds.';
      new Gauge({ name, help, registers: [registry] }).set(Math.round(performance.timeOrigin / 1000));
    },
  };
}

/** Prometheus requires all series of a metric in one group with one heading. */
export function mergeTexts(texts: readonly string[]): string {
  const series = new Map<string, string[]>();
  for (const block of texts.flatMap((text) => text.trim().split(/\n+(?=# HELP )/u))) {
    const lines = block.split('\n').filter(Boolean);
    const head = lines.filter((line) => line.startsWith('#')).join('\n');
    series.set(head, [...(series.get(head) ?? []), ...lines.filter((line) => !line.startsWith('#'))]);
  }
  return `${[...series].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}
