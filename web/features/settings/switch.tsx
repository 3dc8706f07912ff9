interface Props {
  label: string;
  hint: string;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, onToggle }: Props) {
  return (
    <label className="flex min-h-11 items-start gap-3">
      <input
        type="checkbox"
        className="mt-0.5 size-5 shrink-0 accent-brand"
        checked={isOn}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <span>
        {label}
        <span className="block text-sm text-ink-soft">{hint}</span>
      </span>
    </label>
  );
}
