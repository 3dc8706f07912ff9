import type { ReactNode } from 'react';
import type { FieldAgreement, TypedValues } from '#contract/staff/claims.ts';
import { Icon } from '#web/ui/icon.tsx';
import { upperFirst, reword } from '#web/platform/words.ts';
import { type TextPart, findDifferences, findOtherWords } from './letter-diff.ts';

export interface ComparedColumn {
  readonly key: string;
  readonly heading: string;
  readonly detail?: ReactNode;
  readonly values: TypedValues;
  /** Null if the values must not be compared: then only they are shown. */
  readonly agreement: FieldAgreement | null;
}

export interface Choice {
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

interface Props {
  label: string;
  reference: { readonly heading: string; readonly detail?: ReactNode; readonly values: TypedValues };
  columns: readonly ComparedColumn[];
  choice?: Choice | undefined;
  /** Phones show only this column beside the left one. */
  shown: string | null;
  onShow: (key: string) => void;
}

type Agreement = FieldAgreement[keyof FieldAgreement];

const words: Record<Agreement, string> = {
  same: 'same',
  part: 'partly the same',
  alike: 'spelled differently',
  elsewhere: 'in another field',
  short: 'short form',
  differs: 'differs',
  missing: 'not given',
  'one-edit': 'one character differs',
  near: 'nearly the same',
};

/** Years of graduation are compared, or those of admission if one side lacks the first. */
export function formatYearsApart(one: TypedValues, other: TypedValues): string {
  const name = one.yearGraduated && other.yearGraduated ? 'yearGraduated' : 'yearAdmitted';
  const apart = Math.abs(one[name] - other[name]);
  return apart === 1 ? 'a year apart' : `${apart} years apart`;
}

const years = ({ yearAdmitted, yearGraduated }: TypedValues): string =>
  [yearAdmitted, yearGraduated].some(Boolean) ? `${yearAdmitted || '?'} – ${yearGraduated || '?'}` : '';

/** `byLetter`: compared letter by letter. `instead`: the text in place of the value, which staff must not see. */
const fields: readonly { name: keyof FieldAgreement; label: string; byLetter?: true; instead?: string }[] = [
  { name: 'matricNumber', label: 'Matric number', byLetter: true },
  { name: 'lastName', label: 'Last name', byLetter: true },
  { name: 'firstName', label: 'First name', byLetter: true },
  { name: 'otherNames', label: 'Other names', byLetter: true },
  { name: 'birthDate', label: 'Birth date', instead: 'not shown' },
  { name: 'department', label: 'Department' },
  { name: 'program', label: 'Program' },
  { name: 'year', label: 'Years' },
  { name: 'gender', label: 'Gender' },
  { name: 'email', label: 'Email', instead: 'the address above' },
];

/** Returns null for a field that staff must not see. */
function valueOf(values: TypedValues, name: keyof FieldAgreement): string | null {
  if (name === 'birthDate' || name === 'email') return null;
  if (name === 'year') return years(values);
  return name === 'gender' ? upperFirst(values.gender) : values[name];
}

/**
 * Shows values side by side, with small differences marked letter by letter: letters that only this side has are
 * highlighted, letters that it only lacks are struck through. Birth dates and addresses are only compared, because staff must
 * not see them.
 */
export function CompareTable({ label, reference, columns, choice, shown, onShow }: Props) {
  // Rows without any value are left out.
  const rows = fields.filter(
    ({ name }) =>
      columns.some(({ agreement }) => agreement !== null && agreement[name] !== 'missing') ||
      [reference, ...columns].some(({ values }) => valueOf(values, name)),
  );
  const classOf = (key: string) => `${key === shown ? '' : 'max-lg:hidden'} ${key === choice?.chosen ? 'bg-wash' : ''}`;
  return (
    <div className="grid gap-3">
      {columns.length > 1 && (
        <div className="flex border-b border-line lg:hidden" role="group" aria-label="Shown beside">
          {columns.map(({ key, heading }) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === shown}
              className="-mb-px min-h-11 border-b-3 border-transparent px-3 text-sm font-medium text-ink-soft aria-pressed:border-brand aria-pressed:font-semibold aria-pressed:text-brand"
              onClick={() => onShow(key)}
            >
              {heading}
            </button>
          ))}
        </div>
      )}
      <div className="min-w-0 lg:overflow-x-auto">
        <table
          aria-label={label}
          className="w-full table-fixed border-collapse text-left text-sm [&_td]:px-1 [&_td]:py-2 [&_td]:align-top lg:[&_td]:px-2 [&_th]:px-1 [&_th]:py-2 [&_th]:align-top lg:[&_th]:px-2"
        >
          <thead className="border-b border-line-strong">
            <tr>
              <th scope="col" className="w-19 pl-0! lg:w-28">
                <span className="sr-only">Field</span>
              </th>
              <th scope="col" className="font-semibold wrap-break-word">
                {reference.heading}
                {reference.detail !== undefined && (
                  <span className="block text-xs font-normal text-ink-soft first-letter:uppercase">
                    {reference.detail}
                  </span>
                )}
              </th>
              {columns.map((column, at) => (
                <th key={column.key} scope="col" className={`wrap-break-word ${classOf(column.key)}`}>
                  <ColumnHeading column={column} at={at} choice={choice} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map(({ name, label: field, byLetter = false, instead }) => (
              <tr key={name}>
                <th scope="row" className="pl-0! text-xs leading-5 font-normal text-ink-soft">
                  {reword(field)}
                </th>
                <td className="nums wrap-break-word">
                  {instead === undefined ? (
                    valueOf(reference.values, name) || '–'
                  ) : (
                    <span className="block text-xs leading-5 text-ink-soft first-letter:uppercase">{instead}</span>
                  )}
                </td>
                {columns.map(({ key, values, agreement }) => (
                  <td key={key} className={`nums wrap-break-word ${classOf(key)}`}>
                    <Value
                      value={valueOf(values, name)}
                      other={valueOf(reference.values, name) ?? ''}
                      agreement={agreement?.[name] ?? null}
                      {...(name === 'year' &&
                        agreement?.year === 'near' && { nearText: formatYearsApart(reference.values, values) })}
                      byLetter={byLetter}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface ColumnHeadingProps {
  column: ComparedColumn;
  at: number;
  choice: Choice | undefined;
}

function ColumnHeading({ column: { key, heading, detail, agreement }, at, choice }: ColumnHeadingProps) {
  const isChosen = key === choice?.chosen;
  return (
    // The text starts at the edge of the values, after their signs.
    <div className="pl-4 lg:pl-4.5">
      {choice ? (
        <button
          type="button"
          aria-pressed={isChosen}
          aria-keyshortcuts={String(at + 1)}
          className="-my-3 -ml-5.5 flex min-h-11 items-center gap-2 text-left font-semibold lg:-my-2 lg:min-h-9"
          onClick={() => choice.onChoose(key)}
        >
          <span
            aria-hidden="true"
            className={`size-3.5 shrink-0 rounded-full ${isChosen ? 'border-4 border-brand' : 'border-2 border-line-strong'}`}
          />
          <span>
            <span className="lg:sr-only">Choose </span>
            {heading}
          </span>
        </button>
      ) : (
        <span className="font-semibold">{heading}</span>
      )}
      {agreement && <span className="block text-xs font-semibold">{formatMatches(agreement)}</span>}
      {detail !== undefined && (
        <span className="block text-xs font-normal text-ink-soft first-letter:uppercase">{detail}</span>
      )}
    </div>
  );
}

export function formatMatches(agreement: FieldAgreement): string {
  const compared = Object.values(agreement).filter((one) => one !== 'missing');
  const matching = compared.filter((one) => one === 'same').length;
  const near = compared.filter((one) => one !== 'same' && one !== 'differs').length;
  return `${matching} of ${compared.length} match${near === 0 ? '' : `, ${near} nearly`}`;
}

interface ValueProps {
  value: string | null;
  other: string;
  agreement: Agreement | null;
  nearText?: string;
  byLetter: boolean;
}

function Value({ value, other, agreement, nearText, byLetter }: ValueProps) {
  const isOther = agreement !== null && agreement !== 'same' && agreement !== 'missing';
  // Letters are marked only where they help to compare. A value that differs as a whole needs no marks.
  const isMarked = isOther && agreement !== 'elsewhere' && agreement !== 'differs' && byLetter;
  // Without a value, the words say that both sides are the same, or that one side lacks it.
  const hasWords = isOther || (agreement !== null && value === null);
  return (
    <span className="flex gap-1 lg:gap-1.5">
      <Sign agreement={agreement} />
      <span className={`min-w-0 ${agreement === 'same' ? 'text-ink-soft' : ''}`}>
        {value !== null &&
          (isMarked && value !== '' ? (
            <span className="block">
              <Marked parts={agreement === 'part' ? findOtherWords(value, other) : findDifferences(value, other)}>
                {value}
              </Marked>
            </span>
          ) : (
            value || '–'
          ))}
        {agreement === 'same' && value !== null && <span className="sr-only"> same</span>}
        {hasWords && (
          <span
            className={`block text-xs first-letter:uppercase ${value === null ? 'leading-5' : ''} ${isOther ? 'font-semibold' : 'text-ink-soft'} ${agreement === 'differs' ? 'text-danger' : ''}`}
          >
            {nearText ?? words[agreement]}
          </span>
        )}
      </span>
    </span>
  );
}

function Sign({ agreement }: { agreement: Agreement | null }) {
  if (agreement === 'same') return <Icon name="check" className="-mx-0.5 mt-0.5 size-4 shrink-0 text-success" />;
  const look = agreement === 'differs' ? 'bg-danger' : 'border-2 border-ink-soft';
  return (
    <span aria-hidden="true" className="grid h-5 w-3 shrink-0 place-items-center">
      {agreement !== null && agreement !== 'missing' && <span className={`size-2 rounded-full ${look}`} />}
    </span>
  );
}

/** Screen readers get the text without the marks. */
function Marked({ parts, children: text }: { parts: readonly TextPart[]; children: string }) {
  return (
    <>
      <span className="sr-only">{text}</span>
      <span aria-hidden="true">
        {parts.map((part, at) => {
          // The reference shows the letters that others replace.
          if (part.kind === 'missing' && [parts[at - 1], parts[at + 1]].some((beside) => beside?.kind === 'added'))
            return null;
          if (part.kind === 'missing')
            return (
              <s key={part.index} className="mx-0.5 text-ink-soft">
                {part.text}
              </s>
            );
          if (part.kind === 'same') return <span key={part.index}>{part.text}</span>;
          return (
            <mark
              key={part.index}
              className="rounded-sm bg-danger-soft pb-0.5 font-semibold text-danger-strong underline decoration-2 underline-offset-3"
            >
              {part.text}
            </mark>
          );
        })}
      </span>
    </>
  );
}
