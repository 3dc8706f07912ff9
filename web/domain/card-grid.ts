/** Two columns on a phone, then as many as fit from 176 px up. */
export const gridClass =
  'grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] lg:grid-cols-[repeat(auto-fill,minmax(13.75rem,1fr))] lg:gap-4';
