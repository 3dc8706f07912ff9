import type { ImportSettings } from '#contract/roster.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { Section } from '../ui/section.tsx';
import type { ImportFile } from './import-file.ts';
import { delimiterNames, encodingNames } from './import-labels.ts';
import { SheetChoice } from './sheet-choice.tsx';

/** The names serve to check the encoding. */
export function ReadingFields({ file, hasFullName }: { file: ImportFile; hasFullName: boolean }) {
  const { kind, encoding, delimiter, sheets, headerLine, nameSamples, nameOrder, dateOrder } = file;
  return (
    <Section heading="File">
      {nameSamples.length > 0 ? (
        <div>
          <p className="text-sm text-ink-soft">
            Are these names correct? If letters look wrong, change the encoding under “Read the file differently”.
          </p>
          {nameSamples.map((name) => (
            <p key={name} className="text-lg font-bold wrap-anywhere">
              {name}
            </p>
          ))}
        </div>
      ) : (
        <p className="max-w-[66ch] text-sm text-ink-soft">
          No name has letters beyond A to Z, so every encoding shows the same names.
        </p>
      )}
      <details>
        <summary className="flex min-h-11 items-center font-semibold text-brand">Read the file differently</summary>
        <div className="grid gap-4 py-3 sm:grid-cols-2 lg:grid-cols-3">
          {encoding !== null && <Choice label="Encoding" name="encoding" value={encoding} names={encodingNames} />}
          {kind === 'csv' && (
            <Choice label="Column separator" name="delimiter" value={delimiter ?? ','} names={delimiterNames} />
          )}
          {sheets.length > 1 && <SheetChoice file={file} />}
          {kind !== 'oneroster' && (
            <TextField
              label="Header row"
              name="headerLine"
              type="number"
              min={1}
              max={1000}
              defaultValue={headerLine}
              className="max-w-32"
            />
          )}
          <Choice label="Dates such as 3/4/1999" name="dateOrder" value={dateOrder ?? ''} names={dateOrders} />
          {hasFullName && <Choice label="Full names" name="nameOrder" value={nameOrder} names={nameOrders} />}
        </div>
        <Button variant="quiet" type="submit" name="action" value="read">
          Read the file again
        </Button>
        <p className="pt-2 text-sm text-ink-soft">This also detects the columns again and discards your choices.</p>
      </details>
    </Section>
  );
}

const dateOrders = { '': 'Not certain', dmy: 'Day first: 3 April', mdy: 'Month first: 4 March' };
const nameOrders = { 'last-first': 'Last name first', 'first-last': 'First name first' };

interface ChoiceProps {
  label: string;
  name: string;
  value: string;
  names: Readonly<Record<string, string>>;
}

const Choice = ({ label, name, value, names }: ChoiceProps) => (
  <SelectField label={label} name={name} defaultValue={value}>
    <Options none={null} options={Object.entries(names)} />
  </SelectField>
);

/** The row of the headings stays detected if the sheet or the encoding changes. */
export function readingOf(file: ImportFile, data: FormData): ImportSettings {
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [encoding, delimiter] = [text('encoding'), text('delimiter')];
  const sheets = file.sheets.length > 1 ? data.getAll('sheet').map(String) : file.chosenSheets;
  const headerLine = Number(text('headerLine'));
  const isSameTable =
    encoding === (file.encoding ?? undefined) &&
    delimiter === (file.kind === 'csv' ? (file.delimiter ?? undefined) : undefined) &&
    String(sheets) === String(file.chosenSheets);
  const settings = {
    encoding,
    delimiter,
    sheets: sheets.length > 0 ? sheets : undefined,
    headerLine: headerLine > 0 && (isSameTable || headerLine !== file.headerLine) ? headerLine : undefined,
    dateOrder: text('dateOrder'),
    nameOrder: text('nameOrder'),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
