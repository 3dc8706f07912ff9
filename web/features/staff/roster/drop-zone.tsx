import { useId, useRef, useState } from 'react';
import { FieldError } from '#web/ui/field.tsx';
import { Icon } from '#web/ui/icon.tsx';

interface Props {
  label: string;
  hint: string;
  accept: string;
  error: string;
  isDisabled: boolean;
  file: File | null;
  onFile: (file: File | null) => void;
}

const megabyte = 1_000_000;

const formatSize = (bytes: number): string =>
  bytes < megabyte ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / megabyte).toFixed(1)} MB`;

export function DropZone({ label, hint, accept, error, isDisabled, file, onFile }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  return (
    <div className="grid gap-2">
      {/* Dropping is a shortcut of choosing a file. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <label
        htmlFor={id}
        className={`grid min-h-44 cursor-pointer place-content-center justify-items-center gap-1 rounded-card border-2 border-dashed p-6 text-center focus-inside hover:border-brand hover:bg-wash ${isOver ? 'border-brand bg-wash' : error ? 'border-danger bg-raised' : 'border-line-strong bg-raised'}`}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(!isDisabled);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          const { files } = event.dataTransfer;
          if (isDisabled || !input.current || files.length === 0) return;
          input.current.files = files;
          onFile(files[0] ?? null);
        }}
      >
        <Icon name="file-spreadsheet" className="size-9 text-brand" />
        <span id={`${id}-label`} className="font-semibold">
          {label}
        </span>
        <span className="wrap-anywhere">
          {file ? (
            `${file.name} · ${formatSize(file.size)}`
          ) : (
            <>
              <span className="max-lg:hidden">Drop the file here, or </span>
              <span className="link inline-block max-lg:first-letter:uppercase">choose a file</span>
            </>
          )}
        </span>
        <span id={`${id}-hint`} className="max-w-[52ch] text-sm text-balance text-ink-soft">
          {hint}
        </span>
        <input
          ref={input}
          id={id}
          type="file"
          accept={accept}
          disabled={isDisabled}
          className="sr-only"
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={error !== ''}
          onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        />
      </label>
      <div id={`${id}-error`} role="alert" className="empty:absolute">
        {error && <FieldError>{error}</FieldError>}
      </div>
    </div>
  );
}
