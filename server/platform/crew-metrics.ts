import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { type Metrics, joinTexts } from './metrics.ts';
import { ProblemError } from './problem.ts';

/*
 * Several processes answer at one port, so a question reaches any of them. That one asks the first process, which asks all.
 */

/** Milliseconds for a process to say what it has counted; one that is stuck is left out. */
const patience = 2_000;

/** What the processes say to each other about it. */
interface Message {
  readonly metrics: 'all?' | 'yours?' | 'these';
  readonly id: string;
  readonly text?: string;
}

type Asked = Worker | NodeJS.Process;

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'metrics' in message;

/** Everything that all processes of this server have counted. @throws ProblemError unavailable when the first one is silent */
export async function readAllProcesses(metrics: Metrics): Promise<string> {
  if (!cluster.isWorker) return metrics.text();
  const text = await ask(process, 'all?', patience * 2);
  if (text === null) throw new ProblemError('unavailable', { retryAfter: 5 });
  return text;
}

/** Lets this process, one of several, say what it has counted when the first one asks. */
export function answerFirstProcess(metrics: Metrics): void {
  process.on('message', (message: unknown) => {
    if (isMessage(message) && message.metrics === 'yours?') void answer(process, message.id, metrics.text());
  });
}

/** Lets the first process say what all have counted. @returns how to stop */
export function answerCrew(metrics: Metrics): () => void {
  const onMessage = (worker: Worker, message: unknown) => {
    if (isMessage(message) && message.metrics === 'all?') void answer(worker, message.id, gather(metrics));
  };
  cluster.on('message', onMessage);
  return () => void cluster.off('message', onMessage);
}

async function gather(metrics: Metrics): Promise<string> {
  const crew = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const texts = await Promise.all([metrics.text(), ...crew.map((worker) => ask(worker, 'yours?', patience))]);
  return joinTexts(texts.filter((text) => text !== null));
}

/** @returns null when no answer comes in time */
function ask(whom: Asked, metrics: 'all?' | 'yours?', milliseconds: number): Promise<string | null> {
  const id = randomUUID();
  return new Promise((resolve) => {
    const end = (text: string | null) => {
      clearTimeout(timer);
      whom.off('message', onMessage);
      resolve(text);
    };
    const onMessage = (message: unknown) => {
      if (isMessage(message) && message.metrics === 'these' && message.id === id) end(message.text ?? null);
    };
    const timer = setTimeout(end, milliseconds, null);
    whom.on('message', onMessage);
    send(whom, { metrics, id });
  });
}

async function answer(whom: Asked, id: string, text: Promise<string>): Promise<void> {
  // Who asked waits for so long and no longer, whatever has gone wrong here.
  const known = await text.catch(() => undefined);
  if (known !== undefined) send(whom, { metrics: 'these', id, text: known });
}

/** One that is just ending cannot be told anything. */
function send(whom: Asked, message: Message): void {
  if ('isConnected' in whom ? whom.isConnected() : whom.connected) whom.send?.(message, undefined, {}, () => undefined);
}
