/** Screen readers get the shortcut from `aria-keyshortcuts`. Hidden if shortcuts are off. */
export const Key = ({ of }: { of: string }) => (
  <kbd
    aria-hidden="true"
    className="rounded-sm border border-current px-1.5 font-sans text-xs leading-5 font-medium opacity-75 in-data-no-shortcuts:hidden max-lg:hidden"
  >
    {of}
  </kbd>
);
