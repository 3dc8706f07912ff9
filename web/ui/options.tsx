export type Option = readonly [value: string | number, text: string];

interface Props {
  /** The text of the empty option. Null: there is none. */
  none?: string | null;
  options: readonly (Option | string)[];
}

/** The options of a select. Names of countries can differ between server and browser. */
export const Options = ({ none = 'Choose …', options }: Props) => (
  <>
    {none !== null && <option value="">{none}</option>}
    {options
      .map((option) => (typeof option === 'string' ? ([option, option] as const) : option))
      .map(([value, text]) => (
        <option key={value} value={value} suppressHydrationWarning>
          {text}
        </option>
      ))}
  </>
);
