import type { FirstStep } from '#contract/staff/scope.ts';
import { paths } from '#web/domain/paths.ts';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import type { loadFirstSteps } from './first-steps.ts';

const texts: Record<FirstStep, { title: string; detail: string; to?: string }> = {
  institution: {
    title: 'Describe the institution',
    detail: 'On the server, fill in who is responsible for the data in institution.json. The privacy policy shows it.',
    to: paths.privacy,
  },
  roster: {
    title: 'Import the registrar’s list',
    detail: 'Everyone is compared with it.',
    to: staffPath('roster'),
  },
  codes: {
    title: 'Print codes',
    detail: 'A slip confirms its owner at once, without a check by you.',
    to: staffPath('codes'),
  },
  owners: {
    title: 'Name a second owner',
    detail: 'Large actions then wait for a person instead of 24 hours.',
    to: staffPath('roles'),
  },
  backup: {
    title: 'Make a backup',
    detail: 'On the server, every night: npm run archive -- backup FOLDER',
  },
};

export function FirstStepsPage({ data: steps }: StaffPageProps<Awaited<ReturnType<typeof loadFirstSteps>>>) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <>
      <PageHeader title="First steps" lead={`${done} of ${steps.length} are done.`} />
      <Rows label="First steps">
        {steps.map(({ step, isDone }) => (
          <Row key={step} {...texts[step]} aside={isDone ? 'Done' : <StatusPill>Open</StatusPill>} />
        ))}
      </Rows>
    </>
  );
}
