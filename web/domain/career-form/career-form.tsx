import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { CareerDocument, OwnCareer, Position, PositionInput } from '#contract/careers.ts';
import { countryCodes } from '#contract/countries.ts';
import {
  type Activity,
  type WorkField,
  activities,
  helpKinds,
  helpLabels,
  isAtWork,
  maxPositions,
  workFields,
} from '#contract/career-values.ts';
import type { CareerField } from '#contract/profile-fields.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { AudienceField, AudienceRow } from '#web/domain/audience-select.tsx';
import { defineForm, explainProblem } from '#web/domain/define-form.ts';
import { countryName } from '#contract/country-name.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { LeaveGuard } from '#web/domain/leave-guard.tsx';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { RestoredDraft } from '#web/domain/restored-draft.tsx';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { type Fields, readFields } from '#web/platform/form.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type Suggestion } from '#web/ui/combobox.tsx';
import { type Aside, FieldError, SelectField, TextField } from '#web/ui/field.tsx';
import { Group } from '#web/ui/group.tsx';
import { Options } from '#web/ui/options.tsx';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { saveCareer, toInputs } from './save-career.ts';

interface Props {
  career: OwnCareer;
  onSaved: () => unknown;
  /** Shows the button **Not now**. */
  onDismiss?: () => void;
  /** In the settings, the form also has years, earlier positions, and the audiences. */
  isInSettings?: boolean;
}

/** Names of the inputs are the JSON pointers of the values, so that errors of the server find their field. */
const positionField = (row: number, name: keyof PositionInput): string => `positions/${row}/${name}`;

/** Returns -1, which the server refuses, for a text that is not a year. */
const toYear = (text: string): number | null => (text === '' ? null : /^\d{4}$/u.test(text) ? Number(text) : -1);

/** Returns nothing for a row without an answer. */
function readPosition(fields: Fields, row: number): PositionInput[] {
  const names = ['role', 'employer', 'field', 'from', 'to'] as const;
  const [role = '', employer = '', field = '', from = '', to = ''] = names.map((name) =>
    (fields[positionField(row, name)] ?? '').trim(),
  );
  if (role + employer + field + from + to === '') return [];
  return [{ role, employer, field: (field || null) as WorkField | null, from: toYear(from), to: toYear(to) }];
}

function readAllButPositions({ activity, inField, city = '', cityId = '', country = '', ...fields }: Fields) {
  const answer = { activity: activity as Activity, inField: inField === undefined ? null : inField === 'yes' };
  return {
    city: city.trim(),
    cityId: cityId === '' ? null : Number(cityId),
    country,
    helps: helpKinds.filter((help) => fields[`helps/${help}`] !== undefined),
    ...(activity !== undefined && { tracer: activity === '' ? null : answer }),
  } satisfies Partial<CareerDocument>;
}

const isCurrent = ({ to }: Position) => to === null;
const mainRow = 0;

/** Without the settings, the form shows only the main position, without its years. */
function keepHidden(typed: readonly PositionInput[], stored: readonly Position[]): PositionInput[] {
  const main = stored.find(isCurrent);
  const others = toInputs(stored.filter((one) => one !== main));
  return [
    ...typed.map((one) => ({ ...one, from: main && one.employer === main.employer ? main.from : null })),
    ...others,
  ];
}

/** The unsaved input, and the stored career that it changes. */
interface Draft extends Pick<OwnCareer, 'cityId' | 'country'> {
  readonly base: OwnCareer;
  readonly fields: Fields;
  readonly rows: readonly number[];
  readonly chosen: VisibilityChoices;
}

export default function CareerForm({ career, ...props }: Props) {
  const [restored, setRestored] = useState<Draft>();
  const draft = useDraft<Draft>(props.isInSettings ? 'career' : 'career-card', setRestored);
  return (
    <>
      {draft.isRestored && (
        <div className="mb-6">
          <RestoredDraft
            onDiscard={() => {
              draft.discard();
              setRestored(undefined);
            }}
          />
        </div>
      )}
      <Form
        key={restored ? 'restored' : 'stored'}
        {...props}
        career={restored?.base ?? career}
        restored={restored}
        onEdited={draft.save}
        onDiscard={draft.discard}
      />
    </>
  );
}

interface FormProps extends Props {
  restored: Draft | undefined;
  onEdited: (draft: Draft) => void;
  onDiscard: () => void;
}

function Form({ career, restored, onEdited, onDiscard, onSaved, onDismiss, isInSettings = false }: FormProps) {
  const user = useUser();
  const uid = user?.uid ?? '';
  const [base, setBase] = useState(career);
  const main = career.positions.find(isCurrent);
  const [rows, setRows] = useState<readonly { row: number; position?: Position | undefined }[]>(
    () =>
      restored?.rows.map((row) => ({ row })) ??
      [main, ...career.positions.filter((one) => one !== main)].map((position, row) => ({ row, position })),
  );
  const [chosen, setChosen] = useState(restored?.chosen ?? {});
  const [{ cityId, country }, setPlace] = useState<Pick<OwnCareer, 'cityId' | 'country'>>(restored ?? career);
  const [isEdited, setIsEdited] = useState(restored !== undefined);
  const element = useRef<HTMLFormElement>(null);
  const focusLater = useFocusLater();

  /** Rows without an answer are not sent. */
  const readRows = (fields: Fields) =>
    rows.flatMap(({ row }) => readPosition(fields, row).map((position) => ({ row, position })));
  const form = useForm<OwnCareer>(
    defineForm({
      send: async (call, fields) => {
        const typed = readRows(fields).map(({ position }) => position);
        const positions = isInSettings ? typed : keepHidden(typed, base.positions);
        return {
          data: await saveCareer(call, uid, base, { ...readAllButPositions(fields), positions, visibility: chosen }),
        };
      },
      explain: async (problem, _body, call, fields) => {
        if (problem.code === 'profile-changed') {
          // What was typed stays here.
          setBase(await call('GET /api/users/{id}/career', { params: { id: uid } }).catch(() => base));
          return { formError: `${messageOf(problem)}. Save again to keep what you see here` };
        }
        const { errors = {}, ...rest } = explainProblem(problem);
        const sent = readRows(fields);
        const toName = (pointer: string) =>
          pointer.replace(/^positions\/(\d+)/u, (_, index) => `positions/${sent[Number(index)]?.row}`);
        return {
          ...rest,
          errors: Object.fromEntries(Object.entries(errors).map(([key, text]) => [toName(key), text])),
        };
      },
    }),
    {
      hasToasts: true,
      restored: restored?.fields,
      onSent: ({ data = base }) => {
        discardDraft();
        setBase(data);
        return onSaved();
      },
    },
  );
  const { values } = form;
  const saveDraft = useEffectEvent((edited: HTMLFormElement) => {
    const fields = readFields(new FormData(edited));
    onEdited({ base, fields, rows: rows.map(({ row }) => row), chosen, cityId, country });
  });
  useEffect(() => {
    if (isEdited && element.current) saveDraft(element.current);
  }, [isEdited, values, rows, chosen, cityId, country]);
  function discardDraft() {
    setIsEdited(false);
    onDiscard();
  }
  const Part = isInSettings ? Group : Plain;
  // In the settings, fields are as wide as those that have an audience beside them.
  const aside = isInSettings ? null : undefined;
  const audienceOf = (field: CareerField) => ({
    field,
    choices: { ...career.visibility, ...chosen },
    onChoose: (audience: VisibilityChoices[CareerField]) => setChosen({ ...chosen, [field]: audience }),
  });
  const renderAudience = (field: CareerField): Aside =>
    isInSettings ? (label) => <AudienceField {...audienceOf(field)} label={label} /> : undefined;

  const renderWork = (row: number, position?: Position) => (
    <>
      <TextField
        label="Role"
        autoComplete={row === mainRow ? 'organization-title' : 'off'}
        aside={aside}
        {...form.field(positionField(row, 'role'), position?.role ?? '')}
      />
      {/* Members only, because the suggestions come from members. */}
      <Combobox
        label="Employer"
        aside={aside}
        {...form.field(positionField(row, 'employer'), position?.employer ?? '')}
        suggest={isMember(user) ? suggestEmployers : async () => []}
      />
    </>
  );
  const renderYear = (label: string, row: number, name: 'from' | 'to', position?: Position) => (
    <TextField
      label={label}
      className="max-w-40"
      inputMode="numeric"
      maxLength={4}
      autoComplete="off"
      {...form.field(positionField(row, name), position?.[name]?.toString() ?? '')}
    />
  );

  return (
    <form
      ref={element}
      className={isInSettings ? 'grid gap-6' : 'grid max-w-5xl content-start gap-5 sm:grid-cols-2 lg:grid-cols-3'}
      method="dialog"
      {...form.props}
      onChange={(event) => {
        setIsEdited(true);
        form.props.onChange(event);
      }}
    >
      <LeaveGuard isEdited={isEdited} onLeave={discardDraft} />
      <Part heading="Work">
        {base.hasTracer && <TracerQuestions form={form} answer={career.tracer} />}
        {isInSettings && <AudienceRow {...audienceOf('positions')} label="Who sees your work" />}
        {renderWork(mainRow, main)}
        <SelectField label="Field" aside={aside} {...form.field(positionField(mainRow, 'field'), main?.field ?? '')}>
          <Options options={Object.entries(workFields)} />
        </SelectField>
        {isInSettings && renderYear('Since', mainRow, 'from', main)}
      </Part>
      {isInSettings && (
        <Group heading="Earlier positions" hint="For a second job that you still have, leave “To” empty.">
          {rows.slice(1).map(({ row, position }, index) => (
            <fieldset key={row} id={`position-${row}`} className="grid gap-4 border-l-4 border-line pl-4">
              <legend className="float-left font-semibold text-ink-soft">Position {index + 2}</legend>
              {renderWork(row, position)}
              <input
                type="hidden"
                name={positionField(row, 'field')}
                value={restored?.fields[positionField(row, 'field')] ?? position?.field ?? ''}
              />
              <div className="grid max-w-[400px] grid-cols-2 gap-4">
                {renderYear('From', row, 'from', position)}
                {renderYear('To', row, 'to', position)}
              </div>
              <Button
                variant="quiet"
                className="justify-self-start"
                onClick={() => {
                  focusLater('#add-position');
                  setIsEdited(true);
                  setRows(rows.filter((one) => one.row !== row));
                }}
              >
                Remove
              </Button>
            </fieldset>
          ))}
          {rows.length < maxPositions && (
            <Button
              id="add-position"
              variant="quiet"
              className="justify-self-start"
              onClick={() => {
                const row = Math.max(...rows.map((one) => one.row)) + 1;
                focusLater(`#position-${row} input`);
                setRows([...rows, { row, position: undefined }]);
              }}
            >
              Add an earlier position
            </Button>
          )}
        </Group>
      )}
      <Part heading="Place" hint="Only people who see your country see your city.">
        {/* A city of the list has its country. Any other city is a text, and needs one. */}
        <Combobox<CitySuggestion>
          label="City"
          aside={renderAudience('city')}
          {...form.field('city', career.city)}
          error={form.field('city').error ?? form.field('cityId').error}
          suggest={suggestCities}
          onType={() => setPlace({ cityId: null, country: cityId === null ? country : '' })}
          onPick={(option) => setPlace({ cityId: Number(option.key), country: option.country })}
        />
        <input type="hidden" name="cityId" value={cityId ?? ''} />
        <SelectField
          label="Country"
          aside={renderAudience('country')}
          autoComplete="country"
          name="country"
          error={form.field('country').error}
          value={country}
          onChange={({ target }) => setPlace({ cityId: null, country: target.value })}
        >
          <Options options={listCountries()} />
        </SelectField>
      </Part>
      <Part heading="Help">
        {isInSettings && <AudienceRow {...audienceOf('helps')} label="Who sees what you help with" />}
        <Choices
          legend="I am willing to help with"
          type="checkbox"
          options={helpKinds.map((help) => ({
            name: `helps/${help}`,
            label: helpLabels[help],
            defaultChecked: restored ? `helps/${help}` in restored.fields : career.helps.includes(help),
          }))}
        />
        {!base.takesMessages && (
          <p className="col-span-full text-sm text-ink-soft">
            This is shown only while you accept messages.{' '}
            <Link className="link" to={`${withParam(paths.settings, 'section', 'privacy')}#messages`}>
              Accept messages
            </Link>
          </p>
        )}
      </Part>
      <div className={`col-span-full grid gap-3 ${isInSettings ? 'md:max-lg:pl-56 2xl:pl-76' : ''}`}>
        {!isInSettings && (
          <p className="text-sm text-ink-soft">
            Members will see this, unless you choose otherwise in the{' '}
            <Link className="link" to={careerFormPath}>
              settings
            </Link>
            .
          </p>
        )}
        <div role="alert">{form.result?.formError && <FieldError>{form.result.formError}</FieldError>}</div>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" className="min-w-28" busy={form.busy('Saving...')}>
            Save
          </Button>
          {onDismiss && (
            <Button
              variant="quiet"
              onClick={() => {
                discardDraft();
                onDismiss();
              }}
            >
              Not now
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

const Plain = ({ children }: { heading: string; hint?: string; children: ReactNode }) => children;

function TracerQuestions({ form, answer }: { form: PageForm<OwnCareer>; answer: OwnCareer['tracer'] }) {
  const activity = form.values['activity'] ?? answer?.activity;
  const inField = form.values['inField'] ?? (answer?.inField === true ? 'yes' : answer?.inField === false ? 'no' : '');
  const hint = 'Only counted, never shown';
  return (
    <>
      <Choices
        legend="What do you do now?"
        hint={hint}
        type="radio"
        options={[
          ...Object.entries(activities).map(([value, label]) => ({
            name: 'activity',
            value,
            label,
            defaultChecked: value === activity,
          })),
          ...(answer ? [{ name: 'activity', value: '', label: 'No answer', defaultChecked: activity === '' }] : []),
        ]}
      />
      {isAtWork(activity as Activity) && (
        <Choices
          legend="Is your work in the field that you studied?"
          hint={hint}
          type="radio"
          options={[
            { name: 'inField', value: 'yes', label: 'Yes', defaultChecked: inField === 'yes' },
            { name: 'inField', value: 'no', label: 'No', defaultChecked: inField === 'no' },
          ]}
        />
      )}
    </>
  );
}

interface ChoicesProps {
  legend: string;
  hint?: string;
  type: 'radio' | 'checkbox';
  options: readonly (ComponentProps<'input'> & { label: string })[];
}

const Choices = ({ legend, hint, type, options }: ChoicesProps) => (
  <fieldset className="col-span-full">
    <legend className="font-semibold">
      {legend}
      <span className="block text-sm font-normal text-ink-soft">{hint}</span>
    </legend>
    <div className="mt-2 flex flex-wrap gap-2">
      {options.map(({ label, ...input }) => (
        <label
          key={label}
          className="flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-line-strong bg-raised px-4 hover:bg-wash has-checked:border-brand has-checked:bg-wash"
        >
          <input type={type} className="size-5 shrink-0 accent-brand" {...input} />
          {label}
        </label>
      ))}
    </div>
  </fieldset>
);

const suggestEmployers = async (q: string) => (await callApi('GET /api/employers', { query: { q } })).employers;

type CitySuggestion = Suggestion & { readonly country: string };

async function suggestCities(q: string): Promise<CitySuggestion[]> {
  const { cities } = await callApi('GET /api/places', { query: { q } });
  return cities.map(({ id, name, area, country }) => ({
    key: id,
    name,
    detail: [area, countryName(country)].filter((part) => part !== null && part !== name).join(', '),
    country,
  }));
}

const listCountries = () =>
  countryCodes
    .map((code) => [code, countryName(code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, 'en'));
