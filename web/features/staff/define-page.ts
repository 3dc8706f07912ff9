import type { ComponentType } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import type { OwnStaff } from '#contract/staff/scope.ts';
import type { StaffRight } from '#contract/staff/values.ts';

export interface StaffPageProps<Data> {
  readonly data: Data;
  /** The id in the URL, `/staff/{page}/{id}`; null on the page itself. */
  readonly id: string | null;
}

export const staffGroups = ['Review', 'People', 'Roster', 'Office'] as const;

export interface StaffPageDefinition<Data> {
  readonly title: string;
  /** Only staff with this right, or with one of these rights, see a link to the page and can load it. */
  readonly right: StaffRight | readonly StaffRight[];
  /** Without a group, the link is in the last one. */
  readonly group?: (typeof staffGroups)[number];
  /** `panes`: the page fills the window. Every page shows its own `PageHeader`. */
  readonly layout?: 'panes';
  /** Runs on the server and in the browser. */
  readonly load: (args: LoaderFunctionArgs, id: string | null) => Promise<Data>;
  readonly Component: ComponentType<StaffPageProps<Data>>;
}

/**
 * Checks that a page gets the data that it loads, and erases their type, so that pages of several types fit into one
 * list.
 */
export const definePage = <Data>(page: StaffPageDefinition<Data>): StaffPageDefinition<unknown> =>
  page as StaffPageDefinition<unknown>;

export const canOpen = ({ rights }: Pick<OwnStaff, 'rights'>, { right }: StaffPageDefinition<unknown>): boolean =>
  [right].flat().some((one) => rights.includes(one));
