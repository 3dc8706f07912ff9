import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { ButtonAnchor } from '#web/ui/button.tsx';
import { countOf } from './import-labels.ts';

/** The URL exists only in this tab. */
export interface CodeSheet {
  readonly url: string;
  readonly codes: number;
}

export const toCodeSheet = ({ html, codes }: CallResult<Endpoints['POST /api/staff/roster/codes']>): CodeSheet => ({
  url: URL.createObjectURL(new Blob([html], { type: 'text/html' })),
  codes,
});

export const SavedSheet = ({ sheet }: { sheet: CodeSheet }) => (
  <div role="status" className="grid justify-items-start gap-4">
    <p className="max-w-[66ch]">
      The sheet has {countOf(sheet.codes, 'code')}. It is shown only once: save it now, print it at 100 %, then delete
      the file.
    </p>
    <ButtonAnchor variant="strong" href={sheet.url} download="codes.html">
      Save the sheet
    </ButtonAnchor>
  </div>
);
