import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { type FormField, type ProfileTopic, formFields, profileRows, shortLabelOf } from '#contract/profile-fields.ts';
import {
  type Audience,
  audienceFieldOf,
  getEffectiveAudience,
  type Privacy as Choices,
  type ProfileField,
} from '#contract/visibility.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { toast } from '#web/ui/toasts.ts';
import { MyData, type OfficeAccess } from './my-data.tsx';
import { Messages } from './messages.tsx';
import { Switch } from './switch.tsx';
import { AudienceSelect } from '#web/domain/audience-select.tsx';
import { Group } from '#web/ui/group.tsx';

const labels: Partial<Record<ProfileField, string>> = {
  name: 'Name',
  picture: 'Picture',
  email: 'Email',
  dob: 'Birthday, without the year',
};
const labelOf = (field: ProfileField): string => labels[field] ?? reword(shortLabelOf(field as FormField));

function listFields(topics: readonly ProfileTopic[], ...first: readonly ProfileField[]): ProfileField[] {
  const ofTopics = formFields.filter((field) => topics.includes(profileRows[field].topic)).map(audienceFieldOf);
  return [...new Set([...first, ...ofTopics])];
}

const groups = [
  { heading: 'Who I am', fields: listFields(['personal'], 'name', 'otherNames', 'picture', 'title', 'gender', 'dob') },
  {
    heading: 'What I studied',
    fields: listFields(['academic'], 'department', 'college', 'program', 'yearAdmitted', 'yearGraduated'),
  },
  { heading: 'How to reach me', fields: listFields(['contact'], 'email') },
  { heading: 'About me', fields: listFields(['about', 'social']) },
];

interface Props {
  uid: string;
  privacy: StoredPrivacy;
  facts: InstitutionFacts;
  access: OfficeAccess;
}

export function Privacy({ uid, privacy: loaded, facts, access }: Props) {
  const [privacy, setPrivacy] = useState(loaded);
  // The choices that the server has confirmed, and the changes that are not confirmed yet.
  const saved = useRef(loaded);
  const pendingChanges = useRef<Change[]>([]);
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());
  const show = () => setPrivacy(pendingChanges.current.reduce(applyChange, saved.current));

  function choose(change: Change) {
    pendingChanges.current = [...pendingChanges.current, change];
    show();
    // Saves run one after another, so that the last choice takes effect.
    lastSave.current = lastSave.current.then(async () => {
      try {
        saved.current = await save(change, saved.current);
        toast('success', 'Saved');
      } catch (error) {
        const newer = error instanceof ChangedElsewhere ? error.newer : null;
        if (newer) saved.current = newer;
        toast(
          'error',
          newer
            ? 'This choice was changed in another tab or on another device. The newer choice is shown now'
            : messageOf(problemOf(error)),
        );
      }
      pendingChanges.current = pendingChanges.current.filter((other) => other !== change);
      show();
    });
  }

  /**
   * Saves a change with the version that this page shows. If a different setting was changed in the meantime, retries
   * with the new version.
   * @throws ChangedElsewhere when the same setting was changed: an old page must not undo a stricter choice
   */
  async function save(change: Change, base: StoredPrivacy): Promise<StoredPrivacy> {
    const params = { id: uid };
    try {
      return await callApi('PUT /api/users/{id}/privacy', { params, body: { ...change, version: base.version } });
    } catch (error) {
      if (problemOf(error).code !== 'profile-changed') throw error;
      const newer = await callApi('GET /api/users/{id}/privacy', { params });
      if (!hasSameChoices(change, base, newer)) throw new ChangedElsewhere(newer);
      return save(change, newer);
    }
  }

  return (
    <div className="grid gap-6">
      <Group
        heading="Who sees what"
        hint="Your choices take effect immediately in lists, in search, on your profile and in all counts. Guests never see your contact details."
      >
        {privacy.isMinor && (
          <p className="max-w-[66ch] rounded-card bg-wash p-3 text-sm">
            You are under {facts.adultAge}. Until you are {facts.adultAge}, only members see your profile, and search
            engines cannot find it, regardless of your choices here.
          </p>
        )}
        <p className="-my-2.5 flex flex-wrap gap-x-6">
          <Link className="link inline-flex min-h-11 items-center" to={withParam(paths.myProfile, 'as', 'everyone')}>
            View as a guest
          </Link>
          <Link className="link inline-flex min-h-11 items-center" to={withParam(paths.myProfile, 'as', 'members')}>
            View as a member
          </Link>
        </p>
        <Switch
          label="Hide me from the directory"
          hint="No one can find or see your profile, not even with a link. Your choices below are kept for when you show it again."
          isOn={privacy.isHidden}
          onToggle={(isHidden) => choose({ isHidden })}
        />
        {facts.allowsIndexing && (
          <Switch
            label="Let search engines find me"
            hint="Search engines see what guests see. It can take days until they list your profile, and longer until they remove it."
            isOn={privacy.isIndexed}
            onToggle={(isIndexed) => choose({ isIndexed })}
          />
        )}
      </Group>
      <Messages />
      {groups.map(({ heading, fields }) => (
        <Group key={heading} heading={heading}>
          <ul className="-my-2 grid divide-y divide-line">
            {fields.map((field) => (
              <li key={field} className="py-1">
                <label className="flex items-center justify-between gap-3">
                  {labelOf(field)}
                  <AudienceSelect
                    field={field}
                    choices={privacy.visibility}
                    onChoose={(audience: Audience) => choose({ visibility: { [field]: audience } })}
                  />
                </label>
              </li>
            ))}
          </ul>
        </Group>
      ))}
      <Group heading="My career">
        <Link className="link -my-2.5 inline-flex min-h-11 items-center justify-self-start" to={careerFormPath}>
          Choose who sees your work, your place and what you help with
        </Link>
      </Group>
      <MyData uid={uid} access={access} />
    </div>
  );
}

export type StoredPrivacy = Choices & { readonly version: number; readonly isMinor: boolean };
type Change = Partial<Choices>;

class ChangedElsewhere extends Error {
  readonly newer: StoredPrivacy;

  constructor(newer: StoredPrivacy) {
    super('The choice was changed elsewhere.');
    this.newer = newer;
  }
}

const hasSameChoices = ({ visibility = {}, ...switches }: Change, shown: Choices, newer: Choices): boolean =>
  (Object.keys(visibility) as ProfileField[]).every(
    (field) => getEffectiveAudience(field, shown.visibility) === getEffectiveAudience(field, newer.visibility),
  ) && (Object.keys(switches) as (keyof typeof switches)[]).every((name) => shown[name] === newer[name]);

const applyChange = (before: StoredPrivacy, change: Change): StoredPrivacy => ({
  ...before,
  ...change,
  visibility: { ...before.visibility, ...change.visibility },
});
