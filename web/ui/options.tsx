export type Option = readonly [value: string | number, text: string];

/** The names of countries can differ between server and browser. */
export const Options = ({ none = 'Choose …', options }: { none?: string; options: readonly Option[] }) => (
  <>
    <option value="">{none}</option>
    {options.map(([value, text]) => (
      <option key={value} value={value} suppressHydrationWarning>
        {text}
      </option>
    ))}
  </>
);
