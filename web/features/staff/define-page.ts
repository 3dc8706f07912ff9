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

export interface StaffPageDefinition {
  readonly title: string;
  /** Only staff with this right, or with one of these rights, see a link to the page and can load it. */
  readonly right: StaffRight | readonly StaffRight[];
  /** Without a group, the link is in the last one. */
  readonly group?: (typeof staffGroups)[number];
  /** Whether the page fills the window. */
  readonly hasPanes?: boolean;
}

export interface StaffPageParts<Data> {
  readonly load: (args: LoaderFunctionArgs, id: string | null) => Promise<Data>;
  readonly Component: ComponentType<StaffPageProps<Data>>;
}

/** The parts of the pages whose chunk is loaded, by the first part of their path. */
export const loadedParts = new Map<string, StaffPageParts<unknown>>();

/** Checks that a page gets the data that it loads. Call it in the chunk that has the page. */
export function definePage<Data>(path: string, parts: StaffPageParts<Data>): void {
  loadedParts.set(path, parts as StaffPageParts<unknown>);
}

export const canOpen = ({ rights }: Pick<OwnStaff, 'rights'>, { right }: StaffPageDefinition): boolean =>
  [right].flat().some((one) => rights.includes(one));
