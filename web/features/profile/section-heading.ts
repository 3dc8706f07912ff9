/** Classes of the heading of a section: small, with a line below. */
export const sectionHeading = 'border-b border-line pb-1.5 text-sm font-semibold text-ink-soft';
