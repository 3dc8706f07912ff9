import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';

export type Encoding = 'br' | 'gzip';

export const encodings: Encoding[] = ['br', 'gzip'];

/**
 * Options of Brotli: the highest fast level. With a larger window, each response would allocate up to 9 MB, and V8
 * would collect all garbage every few responses. The window is as large as most pages, so the size is the same.
 */
export const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/**
 * Responses up to this size are compressed synchronously, in a millisecond. In the thread pool it takes more CPU time:
 * the text outlives two collections of the young generation while it waits.
 */
export const maxSyncBytes = 200_000;

export const pickEncoding = ({ 'accept-encoding': accepted }: { 'accept-encoding'?: string | undefined }) =>
  accepted === undefined ? null : negotiate(accepted.toLowerCase(), encodings);

export const compressText = (text: string, encoding: Encoding): Buffer =>
  encoding === 'br' ? brotliCompressSync(text, brotliOptions) : gzipSync(text);
