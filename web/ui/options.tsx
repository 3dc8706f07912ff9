export type Option = readonly [value: string | number, text: string];

/** The options of a select, after an empty one. Names of countries can differ between server and browser. */
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
