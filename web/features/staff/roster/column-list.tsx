import { type ImportField, fieldNames, importFields } from '#contract/roster-values.ts';
import { Select, SelectField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { reword } from '#web/platform/words.ts';
import { Section } from '../ui/section.tsx';
import { applyPreset, presetNames } from './column-presets.ts';
import type { ImportFile, Mapping } from './import-file.ts';

const names = Object.entries(fieldNames) as [ImportField, string][];

interface Props {
  file: ImportFile;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

export function ColumnList({ file, mapping, onChange }: Props) {
  const used = new Set(Object.values(mapping));
  return (
    <Section
      heading="Columns"
      hint="Check what each column means. Grades, religion, nationality, parents and photos are never stored."
    >
      <SelectField
        label="Fill in the fields from"
        className="max-w-xs"
        defaultValue=""
        onChange={({ target }) => onChange(applyPreset(file, target.value))}
      >
        <Options none="Detected headings" options={[...presetNames, ['none', 'Nothing']]} />
      </SelectField>
      <ul className="divide-y divide-line border-y border-line">
        {file.columns.map(({ key, fillRate, samples, isLeftOut }, at) => (
          <li key={key} className="grid gap-x-6 gap-y-2 py-3 lg:grid-cols-[minmax(0,1fr)_16rem] lg:items-center">
            <div className="min-w-0">
              <p className="font-semibold wrap-anywhere">
                {key}{' '}
                <span className="text-sm font-normal nums text-ink-soft">{Math.round(fillRate * 100)} % filled</span>
              </p>
              <p className="text-sm wrap-anywhere text-ink-soft">
                {isLeftOut ? 'Never stored' : samples.length > 0 ? samples.join(' · ') : 'No values'}
              </p>
            </div>
            {!isLeftOut && (
              <Select
                name={`column-${at}`}
                aria-label={`Field of the column ${key}`}
                className={mapping[key] ? '' : 'text-ink-soft'}
                value={mapping[key] ?? ''}
                onChange={({ target }) =>
                  onChange({ ...mapping, [key]: importFields.find((field) => field === target.value) ?? null })
                }
              >
                <Options
                  none="Not imported"
                  options={names.map(([field, name]) => [
                    field,
                    `${reword(name)}${used.has(field) && mapping[key] !== field ? ' (chosen)' : ''}`,
                  ])}
                />
              </Select>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
