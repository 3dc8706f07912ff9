/** A part of a comparison: in both texts, only in the text (`added`), or only in the other text (`missing`). */
export interface TextPart {
  readonly text: string;
  readonly index: number;
  readonly kind: 'same' | 'added' | 'missing';
}

/** Letters with their combining marks, so that ọ́ is one letter. */
const lettersOf = (text: string): string[] => text.normalize('NFC').match(/\P{M}\p{M}*|\p{M}/gu) ?? [];

const base = new Intl.Collator('en', { sensitivity: 'base' });

/** Rosters are often in capitals and without diacritics, so that case and diacritics make no difference. */
const isSameText = (a = '', b = ''): boolean => base.compare(a, b) === 0;

/**
 * Compares a text with another one, letter by letter, by their longest common subsequence. Texts that have less than
 * half of their letters in common are compared word by word, because single marked letters would not help to compare
 * them.
 */
export function findDifferences(text: string, other: string): TextPart[] {
  const letters = lettersOf(text);
  const others = lettersOf(other);
  // lengths[i][j] is the length of the longest common subsequence of letters[i…] and others[j…].
  const lengths = Array.from({ length: letters.length + 1 }, () => Array.from({ length: others.length + 1 }, () => 0));
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = letters.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--) {
      const length = isSameText(letters[i], others[j])
        ? lengthAt(i + 1, j + 1) + 1
        : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
      lengths[i]?.splice(j, 1, length);
    }
  if (lengthAt(0, 0) * 2 < Math.max(letters.length, others.length)) return findOtherWords(text, other);
  const pieces: Piece[] = [];
  for (let i = 0, j = 0; i < letters.length || j < others.length;) {
    if (i < letters.length && j < others.length && isSameText(letters[i], others[j])) {
      pieces.push([letters[i], 'same']);
      i++;
      j++;
    } else if (j < others.length && lengthAt(i, j + 1) >= lengthAt(i + 1, j)) pieces.push([others[j++], 'missing']);
    else pieces.push([letters[i++], 'added']);
  }
  return joinPieces(pieces);
}

const space = /^[\s-]/u;

/** Marks the words that the other text lacks. Without a word in common, the text differs as a whole. */
export function findOtherWords(text: string, other: string): TextPart[] {
  const others = other.split(/[\s-]+/u);
  const pieces = text.split(/([\s-]+)/u).filter((piece) => piece !== '');
  const isCommon = (piece: string) => others.some((word) => isSameText(word, piece));
  if (!pieces.some((piece) => isCommon(piece))) return joinPieces(text === '' ? [] : [[text, 'added']]);
  return joinPieces(pieces.map((piece) => [piece, isCommon(piece) || space.test(piece) ? 'same' : 'added']));
}

type Piece = readonly [text: string | undefined, kind: TextPart['kind']];

function joinPieces(pieces: readonly Piece[]): TextPart[] {
  const parts: { text: string; index: number; kind: TextPart['kind'] }[] = [];
  for (const [text = '', kind] of pieces) {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ text, index: parts.length, kind });
  }
  return parts;
}
