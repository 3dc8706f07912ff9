import { RosterFileError, type Encoding } from './roster-file.ts';

/** Can be called more than once. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

const sampleBytes = 65_536;

export async function readStart(open: OpenBytes, length = sampleBytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of open()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= length) break;
  }
  return Buffer.concat(chunks).subarray(0, length);
}

/**
 * Returns the encoding of a text: from the byte order mark, else UTF-8 if all bytes are valid, else windows-1252, in
 * which every byte is a character.
 * @throws RosterFileError if the content is not text
 */
export async function detectEncoding(open: OpenBytes): Promise<Encoding> {
  const start = await readStart(open);
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const encoding = detectUtf16(start);
  if (encoding) return encoding;
  if (countControls(start) > start.length / 100)
    throw new RosterFileError(
      'This file is neither a spreadsheet nor text. Open it in the program that made it and save it as XLSX or CSV.',
    );
  return (await isUtf8(open)) ? 'utf-8' : 'windows-1252';
}

/** Recognizes UTF-16 without a byte order mark: in most texts, one of the two bytes of almost every unit is zero. */
function detectUtf16(start: Buffer): Encoding | null {
  const zeros = [0, 0];
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = start.length / 2;
  if (odd > half * 0.7 && even < half * 0.1) return 'utf-16le';
  if (even > half * 0.7 && odd < half * 0.1) return 'utf-16be';
  return null;
}

const countControls = (start: Buffer): number =>
  start.reduce((count, byte) => (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 ? count + 1 : count), 0);

async function isUtf8(open: OpenBytes): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of open()) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/**
 * Decodes content in chunks, without the byte order mark, and with `\n` as the only line break. Invalid bytes become
 * U+FFFD.
 */
export async function* readText(open: OpenBytes, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let heldBack = '';
  for await (const chunk of open()) {
    const text = heldBack + decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line break.
    heldBack = text.endsWith('\r') ? '\r' : '';
    yield normalizeLineBreaks(heldBack ? text.slice(0, -1) : text);
  }
  yield normalizeLineBreaks(heldBack + decoder.decode());
}

const normalizeLineBreaks = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/gu, '\n') : text);
