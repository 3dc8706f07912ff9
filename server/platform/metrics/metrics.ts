import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * What this process counts, for `/metrics`. Nothing personal belongs into a label, and nothing of which there can be any
 * number: each value of a label is a series that is kept for ever.
 */
export interface Metrics {
  /** Counts something that happens. Asked for again under the same name, it is the same one. */
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /** Measures how long something takes, in seconds. */
  histogram<Label extends string>(name: string, help: string, labels: readonly Label[]): Histogram<Label>;
  /** Measures how much there is of something. @param collect finds it out when it is asked for */
  gauge<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    collect?: (gauge: Gauge<Label>) => Promise<void> | void,
  ): Gauge<Label>;
  /** The metrics of this process. */
  readonly registry: Registry;
  /** Returns the metrics of this process in Prometheus' text format. */
  text(): Promise<string>;
  /** Adds what Node knows of itself: memory, handles, garbage, the event loop. */
  measureProcess(): void;
}

/** Seconds; a page on this side of the network takes hundredths. */
const durationBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The environment variable by which one of several processes knows which it is. */
export const processNumberVariable = 'ARCHIVE_PROCESS';

/**
 * A register of its own for each server, so that two in one process do not add up. Every series says which process it is
 * of: added up beforehand, the end of one process would look like a loss of the others'.
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
      collectDefaultMetrics({ register: registry });
      // prom-client's own metric of this name is left out when it joins the metrics of several processes.
      const name = 'process_start_time_seconds';
      registry.removeSingleMetric(name);
      const help = 'Start time of the process since unix epoch in seconds.';
      new Gauge({ name, help, registers: [registry] }).set(Math.round(performance.timeOrigin / 1000));
    },
  };
}

/** Joins texts of several processes: Prometheus wants all series of a metric in one group, under one heading. */
export function mergeTexts(texts: readonly string[]): string {
  const series = new Map<string, string[]>();
  for (const block of texts.flatMap((text) => text.trim().split(/\n+(?=# HELP )/u))) {
    const lines = block.split('\n').filter(Boolean);
    const head = lines.filter((line) => line.startsWith('#')).join('\n');
    series.set(head, [...(series.get(head) ?? []), ...lines.filter((line) => !line.startsWith('#'))]);
  }
  return `${[...series].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}
