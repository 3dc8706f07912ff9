interface Props {
  /** Null while they load. */
  items: readonly unknown[] | null | undefined;
  failure: string;
  empty: string;
}

/** Stands in place of a list that is loading, failed to load or is empty. */
export function ListNote({ items, failure, empty }: Props) {
  if (failure !== '') return <p role="alert">{failure}</p>;
  if (items && items.length > 0) return null;
  return <p className="needs-scripts text-sm text-ink-soft">{items ? empty : 'Loading...'}</p>;
}
