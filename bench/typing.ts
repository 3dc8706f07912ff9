import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Compare } from './compare.ts';
import { type Keystroke, createKeystrokes } from './keystrokes.ts';
import { computeQuantile, readCpuMs, readDatabaseCpu, sendRequest, sumSince } from './load.ts';
import type { BenchInput } from './routes.ts';

/*
 * Measures the search while people type: throughput against `ILIKE`, CPU time by the length of the word being typed,
 * and the response times of people who type with pauses.
 */

export interface TypingResult {
  readonly group: string;
  readonly requests: number;
  /** CPU time of server and database per request in milliseconds. */
  readonly cpu: { readonly server: number; readonly database: number } | null;
  readonly p50: number;
  readonly p99: number;
}

const names = 400;
const maxLetters = 8;
const typists = 16;
/** Shortest and longest pause between two keystrokes, in milliseconds. */
const [minPauseMs, maxPauseMs] = [120, 400];

export async function measureTyping(
  compare: Compare,
  { archive, product, floor, members }: BenchInput,
): Promise<TypingResult[]> {
  const keystrokes = createKeystrokes(archive.institution, archive.people, names);
  const headers = members[0]?.headers ?? { cookie: '' };
  const toRequest = (url: string, { text }: Keystroke) => ({
    url: `${url}?${new URLSearchParams({ q: text })}`,
    headers,
  });
  const search = (keystroke: Keystroke) => toRequest(`${product.url}/api/search`, keystroke);
  let at = 0;
  // A step that is coprime to the number of keystrokes, so that each round has all lengths.
  const next = () => keystrokes[(at += 7_919) % keystrokes.length] ?? { text: 'a', letters: 1 };
  await compare(
    'search, keystrokes',
    () => search(next()),
    () => toRequest(`${floor.url}/search`, next()),
  );

  const agent = new Agent({ keepAlive: true, maxSockets: typists });
  const send = async (keystroke: Keystroke): Promise<number> => {
    const startedAtMs = performance.now();
    await sendRequest(search(keystroke), agent);
    return performance.now() - startedAtMs;
  };
  const results: TypingResult[] = [];
  const add = (group: string, durationsMs: readonly number[], cpu: TypingResult['cpu']) => {
    const [p50, p99] = [computeQuantile(durationsMs, 0.5), computeQuantile(durationsMs, 0.99)];
    results.push({ group, requests: durationsMs.length, cpu, p50, p99 });
    const cells = [
      durationsMs.length,
      ...[cpu?.server, cpu?.database, p50, p99].map((value) => value?.toFixed(2) ?? '-'),
    ];
    console.log(`${group.padEnd(20)} ${cells.map((cell) => String(cell).padStart(8)).join('')}`);
  };
  console.log(
    `${'keystrokes'.padEnd(20)} ${['requests', 'CPU', 'db CPU', 'p50', 'p99'].map((text) => text.padStart(8)).join('')}`,
  );
  for (let letters = 1; letters <= maxLetters; letters++) {
    const some = keystrokes.filter((keystroke) => Math.min(keystroke.letters, maxLetters) === letters);
    const before = { server: readCpuMs(product.pid), database: readDatabaseCpu(archive.postmasterPid) };
    const durationsMs: number[] = [];
    for (const keystroke of some) durationsMs.push(await send(keystroke));
    add(`${letters}${letters === maxLetters ? ' or more' : ''} ${letters === 1 ? 'letter' : 'letters'}`, durationsMs, {
      server: (readCpuMs(product.pid) - before.server) / some.length,
      database: sumSince(before.database, readDatabaseCpu(archive.postmasterPid)) / some.length,
    });
  }
  add(`${typists} people at once`, await typeWithPauses(keystrokes, send), null);
  agent.destroy();
  return results;
}

async function typeWithPauses(
  keystrokes: readonly Keystroke[],
  send: (keystroke: Keystroke) => Promise<number>,
): Promise<number[]> {
  const durationsMs: number[] = [];
  const share = Math.ceil(keystrokes.length / typists);
  await Promise.all(
    Array.from({ length: typists }, async (_, typist) => {
      for (const [at, keystroke] of keystrokes.slice(typist * share, (typist + 1) * share).entries()) {
        await delay(minPauseMs + ((at * 97 + typist * 31) % (maxPauseMs - minPauseMs)));
        durationsMs.push(await send(keystroke));
      }
    }),
  );
  return durationsMs;
}
