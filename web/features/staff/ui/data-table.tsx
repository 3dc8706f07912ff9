import type { ReactNode } from 'react';

interface Props {
  label: string;
  /** The headings of the columns. Columns of numbers get `isNumber`, and their cells the class `nums text-right`. */
  columns: readonly (string | { readonly heading: string; readonly isNumber: true })[];
  /** Rows: `<tr>` elements, whose first cell is a `<th scope="row">` if it names the row. */
  children: ReactNode;
}

/** A table wider than the window scrolls within the page. Lists of people fit phones better as `Rows`. */
export function DataTable({ label, columns, children }: Props) {
  return (
    <div
      className="@container min-w-0 overflow-x-auto border-y border-line print:overflow-visible"
      role="region"
      aria-label={label}
      // Keyboards scroll it only if it can take the focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <table
        className="w-full border-collapse text-left text-xs @xs:text-sm @max-lg:[&_tr>:first-child]:pl-0 @max-lg:[&_tr>:last-child]:pr-0 [&_td]:px-1 @xs:[&_td]:px-1.5 [&_td]:py-2.5 @lg:[&_td]:px-3 [&_th]:px-1 @xs:[&_th]:px-1.5 [&_th]:py-2.5 @lg:[&_th]:px-3 print:[&_td]:px-1 print:[&_th]:px-1"
        aria-label={label}
      >
        <thead className="border-b border-line-strong text-ink-soft">
          <tr>
            {columns.map((column) => {
              const isNumber = typeof column !== 'string';
              const heading = isNumber ? column.heading : column;
              return (
                <th
                  key={heading}
                  scope="col"
                  className={`font-semibold @lg:whitespace-nowrap print:whitespace-normal ${isNumber ? 'text-right' : ''}`}
                >
                  {heading}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}
