import { type LoaderFunctionArgs, redirect, useLoaderData } from 'react-router';
import { requireUser } from '#web/domain/guards.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { nextStep } from '#web/domain/root-data.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwUnavailable } from '#web/platform/route-errors.ts';
import { Group } from '#web/ui/group.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { MyData } from './my-data.tsx';
import { Devices } from './security.tsx';

/** For accounts that the settings redirect to the next step of the registration. @throws a redirect for all others */
export async function accountLoader(args: LoaderFunctionArgs) {
  const user = await requireUser(args);
  if (nextStep(user) === null) throw redirect(withParam(paths.settings, 'section', 'security'));
  const { call } = args.context.get(loaderServices);
  const [{ sessions }, access] = await Promise.all([
    call('GET /api/identity/sessions'),
    call('GET /api/users/{id}/disclosures', { params: { id: user.uid } }),
  ]).catch(throwUnavailable);
  return { uid: user.uid, devices: sessions, access };
}

export function AccountPage() {
  const { uid, devices, access } = useLoaderData<typeof accountLoader>();
  return (
    <div className="page">
      <h1 className="text-xl font-bold lg:text-2xl">Your account</h1>
      <p className="mt-1 mb-6 max-w-[66ch] text-ink-soft">
        You have no profile, so no one sees you here. The other settings come with a profile.
      </p>
      <noscript>
        <p className="mb-6 rounded-card border border-brand-line bg-wash p-4">
          You need JavaScript to end sessions or delete your account. Turn it on in your browser and reload this page.
        </p>
      </noscript>
      <div className="scripted grid gap-6">
        <MyData uid={uid} access={access} />
        <Devices devices={devices} />
        <Group heading="Delete Account">
          <DeleteAccount />
        </Group>
      </div>
    </div>
  );
}
