/** Classes of the card grid: two columns on a phone; on wider screens as many columns of at least 176 px as fit. */
export const gridClass =
  'grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] lg:grid-cols-[repeat(auto-fill,minmax(13.75rem,1fr))] lg:gap-4';
