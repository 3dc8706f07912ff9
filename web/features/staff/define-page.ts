import type { ComponentType } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import type { OwnStaff } from '#contract/staff/scope.ts';
import type { StaffRight } from '#contract/staff/values.ts';

/** What a page of the staff console gets. */
export interface StaffPageProps<Data> {
  readonly data: Data;
  /** The id in the URL, `/staff/{page}/{id}`; null on the page itself. */
  readonly id: string | null;
}

/** The groups of the navigation, in their order. */
export const staffGroups = ['Review', 'People', 'Roster', 'Office'] as const;

/** A page of the staff console. */
export interface StaffPageDefinition<Data> {
  /** Label of the link, and title of the page. */
  readonly title: string;
  /** The page is linked, and loaded, only for staff with this right, or with one of these rights. */
  readonly right: StaffRight | readonly StaffRight[];
  /** The group of the link. Without one, the link is in the last group. */
  readonly group?: (typeof staffGroups)[number];
  /** `panes`: the page fills the window. Every page shows its own `PageHeader`. */
  readonly layout?: 'panes';
  /** Loads the data, on the server and in the browser. */
  readonly load: (args: LoaderFunctionArgs, id: string | null) => Promise<Data>;
  readonly Component: ComponentType<StaffPageProps<Data>>;
}

/** Checks that a page gets the data that it loads, and erases their type, so that pages of several types fit into one list. */
export const definePage = <Data>(page: StaffPageDefinition<Data>): StaffPageDefinition<unknown> =>
  page as StaffPageDefinition<unknown>;

/** Returns whether a page exists for a member of staff. */
export const canOpen = ({ rights }: Pick<OwnStaff, 'rights'>, { right }: StaffPageDefinition<unknown>): boolean =>
  [right].flat().some((one) => rights.includes(one));
