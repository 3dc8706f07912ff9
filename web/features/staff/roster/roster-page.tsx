import type { LoaderFunctionArgs } from 'react-router';
import type { RosterImport } from '#contract/roster.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';
import { Day } from '#web/ui/day.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { ImportPage } from './import-page.tsx';
import { formatCounts, isOpen, stateNames, stepTexts } from './import-labels.ts';
import { UploadForm } from './upload-form.tsx';

export async function loadRoster({ context }: LoaderFunctionArgs, id: string | null) {
  const { call } = context.get(loaderServices);
  if (id === null) return { imports: (await call('GET /api/staff/roster/imports')).imports, open: null };
  if (!/^[1-9]\d{0,8}$/u.test(id)) return throwNotFound();
  const [one, { colleges }] = await Promise.all([
    call('GET /api/staff/roster/imports/{id}', { params: { id } }),
    call('GET /api/institution'),
  ]);
  return { imports: [], open: { one, departments: colleges.flatMap(({ departments }) => departments) } };
}

export function RosterPage({ data: { imports, open } }: StaffPageProps<Awaited<ReturnType<typeof loadRoster>>>) {
  if (open) return <ImportPage loaded={open.one} departments={open.departments} />;
  const current = imports.find(isOpen);
  const closed = imports.filter((one) => one !== current);
  return (
    <>
      <PageHeader
        title="Roster imports"
        lead="The roster is the registrar’s list of students and graduates. People claim their entry to confirm that they studied here."
      />
      {current ? (
        <Section heading="Open import" hint="Finish or discard it before you upload another file.">
          <Rows>
            <ImportRow one={current} />
          </Rows>
        </Section>
      ) : (
        <Section heading="Upload a list">
          <UploadForm />
        </Section>
      )}
      <Section heading="Earlier imports">
        {closed.length > 0 ? (
          <Rows label="Earlier imports">
            {closed.map((one) => (
              <ImportRow key={one.id} one={one} />
            ))}
          </Rows>
        ) : (
          <p className="max-w-3xl border-y border-line py-4 text-sm text-ink-soft">
            Each import will appear here with its file, its date, and how many people were new, changed and missing. You
            can undo an import until a later one depends on it.
          </p>
        )}
      </Section>
    </>
  );
}

const ImportRow = ({ one }: { one: RosterImport }) => (
  <Row
    to={staffPath('roster', String(one.id))}
    title={one.fileName}
    detail={
      <>
        <Day of={one.appliedAt ?? one.createdAt} />
        {formatCounts(one) !== '' && ` · ${formatCounts(one)}`}
      </>
    }
    aside={
      <>
        {one.step !== null && `${stepTexts[one.step]}, ${one.progress} %`}
        {one.approval ? (
          <StatusPill>Waiting for approval</StatusPill>
        ) : isOpen(one) ? (
          <StatusPill tone="brand">{stateNames[one.state]}</StatusPill>
        ) : (
          stateNames[one.state]
        )}
      </>
    }
  />
);
