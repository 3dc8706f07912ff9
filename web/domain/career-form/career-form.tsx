import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { OwnCareer, Position, PositionInput } from '#contract/careers.ts';
import { countryCodes } from '#contract/countries.ts';
import { activities, helpKinds, helpLabels, maxPositions, workFields } from '#contract/career-values.ts';
import type { CareerField } from '#contract/profile-fields.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { defineForm, explainProblem } from '#web/domain/define-form.ts';
import { countryName } from '#contract/country-name.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { LeaveGuard } from '#web/domain/leave-guard.tsx';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import type { Fields } from '#web/platform/form.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type Suggestion } from '#web/ui/combobox.tsx';
import { type Aside, FieldError, SelectField, TextField } from '#web/ui/field.tsx';
import { Group } from '#web/ui/group.tsx';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { positionField, readCareer, readPosition } from './career-fields.ts';
import { saveCareer, toInputs } from './save-career.ts';

interface Props {
  career: OwnCareer;
  onSaved: () => unknown;
  /** Shows the button **Not now**. */
  onDismiss?: () => void;
  /** In the settings, the form also has years, earlier positions, and the audiences. */
  settings?: {
    chosen: VisibilityChoices;
    renderRow: (field: CareerField, label: string) => ReactNode;
    renderAside: (field: CareerField) => Aside;
  };
}

interface EarlierRow {
  readonly row: number;
  readonly position?: Position;
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

export default function CareerForm({ career, onSaved, onDismiss, settings }: Props) {
  const uid = useUser()?.uid ?? '';
  const [base, setBase] = useState(career);
  const main = career.positions.find(isCurrent);
  const [earlier, setEarlier] = useState<readonly EarlierRow[]>(() =>
    career.positions.filter((one) => one !== main).map((position, index) => ({ row: index + 1, position })),
  );
  const [isEdited, setIsEdited] = useState(false);
  const focusLater = useFocusLater();

  /** Rows without an answer are not sent. */
  const readRows = (fields: Fields) =>
    [mainRow, ...earlier.map(({ row }) => row)].flatMap((row) => {
      const position = readPosition(fields, row);
      return position ? [{ row, position }] : [];
    });
  const form = useForm<OwnCareer>(
    defineForm({
      send: async (call, fields) => {
        const typed = readRows(fields).map(({ position }) => position);
        const positions = settings ? typed : keepHidden(typed, base.positions);
        const visibility = settings && { visibility: settings.chosen };
        return { data: await saveCareer(call, uid, base, { ...readCareer(fields), positions, ...visibility }) };
      },
      explain: async (problem, _body, call, fields) => {
        if (problem.code === 'profile-changed') {
          // What was typed stays here.
          setBase(await call('GET /api/users/{id}/career', { params: { id: uid } }).catch(() => base));
          return { formError: `${messageOf(problem)}. Save again to keep what you see here` };
        }
        const { errors = {}, ...rest } = explainProblem(problem);
        const rows = readRows(fields);
        const toName = (pointer: string) =>
          pointer.replace(/^positions\/(\d+)/u, (_, index) => `positions/${rows[Number(index)]?.row}`);
        return {
          ...rest,
          errors: Object.fromEntries(Object.entries(errors).map(([key, text]) => [toName(key), text])),
        };
      },
    }),
    {
      hasToasts: true,
      onSent: ({ data = base }) => {
        setIsEdited(false);
        setBase(data);
        return onSaved();
      },
    },
  );
  const Part = settings ? Group : Plain;
  // In the settings, fields are as wide as those that have an audience beside them.
  const aside = settings && null;

  return (
    <form
      className={settings ? 'grid gap-6' : 'grid max-w-5xl content-start gap-5 sm:grid-cols-2 lg:grid-cols-3'}
      method="dialog"
      {...form.props}
      onChange={(event) => {
        setIsEdited(true);
        form.props.onChange(event);
      }}
    >
      <LeaveGuard isEdited={isEdited} onLeave={() => setIsEdited(false)} />
      <Part heading="Work">
        {base.hasTracer && <TracerQuestions form={form} answer={career.tracer} />}
        {settings?.renderRow('positions', 'Who sees your work')}
        <PositionFields form={form} row={mainRow} position={main} aside={aside} />
        <SelectField label="Field" aside={aside} {...form.field(positionField(mainRow, 'field'), main?.field ?? '')}>
          <option value="">Choose …</option>
          {Object.entries(workFields).map(([field, label]) => (
            <option key={field} value={field}>
              {label}
            </option>
          ))}
        </SelectField>
        {settings && <YearField form={form} label="Since" name={positionField(mainRow, 'from')} year={main?.from} />}
      </Part>
      {settings && (
        <Group heading="Earlier positions" hint="For a second job that you still have, leave “To” empty.">
          {earlier.map(({ row, position }, index) => (
            <fieldset key={row} id={`position-${row}`} className="grid gap-4 border-l-4 border-line pl-4">
              <legend className="float-left font-semibold text-ink-soft">Position {index + 2}</legend>
              <PositionFields form={form} row={row} position={position} aside={aside} />
              <input type="hidden" name={positionField(row, 'field')} value={position?.field ?? ''} />
              <div className="grid max-w-[400px] grid-cols-2 gap-4">
                <YearField form={form} label="From" name={positionField(row, 'from')} year={position?.from} />
                <YearField form={form} label="To" name={positionField(row, 'to')} year={position?.to} />
              </div>
              <Button
                variant="quiet"
                className="justify-self-start"
                onClick={() => {
                  focusLater('#add-position');
                  setIsEdited(true);
                  setEarlier(earlier.filter((one) => one.row !== row));
                }}
              >
                Remove
              </Button>
            </fieldset>
          ))}
          {earlier.length < maxPositions - 1 && (
            <Button
              id="add-position"
              variant="quiet"
              className="justify-self-start"
              onClick={() => {
                const row = Math.max(mainRow, ...earlier.map((one) => one.row)) + 1;
                focusLater(`#position-${row} input`);
                setEarlier([...earlier, { row }]);
              }}
            >
              Add an earlier position
            </Button>
          )}
        </Group>
      )}
      <Part heading="Place" hint="Only people who see your country see your city.">
        <PlaceFields form={form} career={career} renderAside={settings?.renderAside} />
      </Part>
      <Part heading="Help">
        {settings?.renderRow('helps', 'Who sees what you help with')}
        <Choices
          legend="I am willing to help with"
          type="checkbox"
          options={helpKinds.map((help) => ({
            name: `helps/${help}`,
            label: helpLabels[help],
            isChosen: career.helps.includes(help),
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
      <div className="col-span-full grid gap-3">
        {!settings && (
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
            <Button variant="quiet" onClick={onDismiss}>
              Not now
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

const Plain = ({ children }: { heading: string; hint?: string; children: ReactNode }) => children;

type CareerPageForm = PageForm<OwnCareer>;

function TracerQuestions({ form, answer }: { form: CareerPageForm; answer: OwnCareer['tracer'] }) {
  const activity = form.values['activity'] ?? answer?.activity;
  return (
    <>
      <Choices
        legend="What do you do now?"
        hint="Only counted, never shown"
        type="radio"
        options={[
          ...Object.entries(activities).map(([value, label]) => ({
            name: 'activity',
            value,
            label,
            isChosen: value === answer?.activity,
          })),
          ...(answer ? [{ name: 'activity', value: '', label: 'No answer', isChosen: false }] : []),
        ]}
      />
      {(activity === 'working' || activity === 'self-employed') && (
        <Choices
          legend="Is your work in the field that you studied?"
          hint="Only counted, never shown"
          type="radio"
          options={[
            { name: 'inField', value: 'yes', label: 'Yes', isChosen: answer?.inField === true },
            { name: 'inField', value: 'no', label: 'No', isChosen: answer?.inField === false },
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
  options: readonly { name: string; value?: string; label: string; isChosen: boolean }[];
}

const Choices = ({ legend, hint, type, options }: ChoicesProps) => (
  <fieldset className="col-span-full">
    <legend className="font-semibold">
      {legend}
      <span className="block text-sm font-normal text-ink-soft">{hint}</span>
    </legend>
    <div className="mt-2 flex flex-wrap gap-2">
      {options.map(({ label, isChosen, ...option }) => (
        <label
          key={label}
          className="flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-line-strong bg-raised px-4 hover:bg-wash has-checked:border-brand has-checked:bg-wash"
        >
          <input type={type} className="size-5 shrink-0 accent-brand" defaultChecked={isChosen} {...option} />
          {label}
        </label>
      ))}
    </div>
  </fieldset>
);

interface PositionProps {
  form: CareerPageForm;
  row: number;
  position: Position | undefined;
  aside: Aside;
}

/** The employer has suggestions for members only, because they come from members. */
function PositionFields({ form, row, position, aside }: PositionProps) {
  const user = useUser();
  const [employer, setEmployer] = useState(position?.employer ?? '');
  const { name, error } = form.field(positionField(row, 'employer'));
  return (
    <>
      <TextField
        label="Role"
        autoComplete={row === mainRow ? 'organization-title' : 'off'}
        aside={aside}
        {...form.field(positionField(row, 'role'), position?.role ?? '')}
      />
      <Combobox
        label="Employer"
        aside={aside}
        name={name}
        error={error}
        value={employer}
        suggest={isMember(user) ? suggestEmployers : async () => []}
        onType={setEmployer}
        onPick={(option) => setEmployer(option.name)}
      />
    </>
  );
}

async function suggestEmployers(q: string): Promise<Suggestion[]> {
  const { employers } = await callApi('GET /api/employers', { query: { q } });
  return employers.map(({ key, name }) => ({ key, name }));
}

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
    .map((code) => ({ code, name: countryName(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

interface PlaceProps {
  form: CareerPageForm;
  career: OwnCareer;
  renderAside: ((field: CareerField) => Aside) | undefined;
}

/** A city of the list has its country. Any other city is a text, and needs one. */
function PlaceFields({ form, career, renderAside }: PlaceProps) {
  const [{ city, cityId, country }, setPlace] = useState<Pick<OwnCareer, 'city' | 'cityId' | 'country'>>(career);
  return (
    <>
      <Combobox<CitySuggestion>
        label="City"
        aside={renderAside?.('city')}
        name="city"
        error={form.field('city').error ?? form.field('cityId').error}
        value={city}
        suggest={suggestCities}
        onType={(text) => setPlace({ city: text, cityId: null, country: cityId === null ? country : '' })}
        onPick={(option) => setPlace({ city: option.name, cityId: Number(option.key), country: option.country })}
      />
      <input type="hidden" name="cityId" value={cityId ?? ''} />
      <SelectField
        label="Country"
        aside={renderAside?.('country')}
        autoComplete="country"
        name="country"
        error={form.field('country').error}
        value={country}
        onChange={({ target }) => setPlace({ city, cityId: null, country: target.value })}
      >
        <option value="">Choose …</option>
        {listCountries().map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </SelectField>
    </>
  );
}

interface YearProps {
  form: CareerPageForm;
  label: string;
  name: string;
  year: number | null | undefined;
}

const YearField = ({ form, label, name, year }: YearProps) => (
  <TextField
    label={label}
    className="max-w-40"
    inputMode="numeric"
    maxLength={4}
    autoComplete="off"
    {...form.field(name, year?.toString() ?? '')}
  />
);
