import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import type { ContentKind } from '#contract/report-values.ts';
import { paths } from '#web/domain/paths.ts';
import { ReportForm } from '#web/domain/report/report-form.tsx';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound, throwUnavailable } from '#web/platform/route-errors.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { toContentKind } from './content-kind.ts';

interface Data {
  readonly kind: ContentKind;
  readonly id: string;
  readonly title: string;
}

/** @throws the 404 page if the visitor does not see it, or it is their own */
export async function reportContentLoader({ params, context }: LoaderFunctionArgs): Promise<Data> {
  const { id = '' } = params;
  const kind = toContentKind(params['kind']) ?? throwNotFound();
  const { title } = await context
    .get(loaderServices)
    .call('GET /api/reports/{kind}/{id}', { params: { kind, id } })
    .catch((error: unknown) => (problemOf(error).status < 500 ? throwNotFound() : throwUnavailable()));
  return { kind, id, title };
}

/** For browsers without JavaScript and for links from the photo view. */
export function ReportContentPage() {
  const { kind, id, title } = useLoaderData<Data>();
  const back = kind === 'photo' ? paths.gallery : paths.user(id);
  return (
    <div className="page grid max-w-[40rem] gap-4">
      <h1 className="text-xl font-bold lg:text-2xl">Report a problem</h1>
      <p className="wrap-anywhere">
        {kind === 'photo' ? 'Photo' : 'Profile'}: <strong className="font-semibold">{title}</strong>
      </p>
      <ReportForm
        kind={kind}
        id={id}
        cancel={
          <ButtonLink variant="quiet" to={back}>
            Cancel
          </ButtonLink>
        }
        done={
          <p>
            <ButtonLink variant="quiet" to={paths.dashboard}>
              Go to the start page
            </ButtonLink>
          </p>
        }
      />
    </div>
  );
}
