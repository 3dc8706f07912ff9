import { TracerPage, loadTracer } from '../careers/tracer-page.tsx';
import { CoveragePage, loadCoverage } from '../coverage/coverage-page.tsx';
import { definePage } from '../define-page.ts';
import { CodesPage, loadCodes } from '../roster/codes-page.tsx';
import { RosterPage, loadRoster } from '../roster/roster-page.tsx';

definePage('roster', { load: loadRoster, Component: RosterPage });
definePage('codes', { load: loadCodes, Component: CodesPage });
definePage('coverage', { load: loadCoverage, Component: CoveragePage });
definePage('tracer', { load: loadTracer, Component: TracerPage });

export { StaffPage } from '../staff-frame.tsx';
export { staffLoader } from '../staff-loader.ts';
