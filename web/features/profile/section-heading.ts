export const sectionHeading = 'border-b border-line pb-1.5 text-sm font-semibold text-ink-soft';
