import { Icon } from '#web/ui/icon.tsx';
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { texts } from '#contract/texts.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError } from '#web/ui/field.tsx';
import type { FieldsProps } from './fields-props.ts';
import { cropToPortrait, readPicture } from '../pictures.ts';

export function PictureField({ form, field }: FieldsProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { error, aside } = field('imgURL');
  const value = form.watch('imgURL');
  const [source, setSource] = useState<{ url: string; image: HTMLImageElement } | null>(null);
  const [fileError, setFileError] = useState<string | null>(null);
  const cropper = useLazyComponent(() => import('./picture-cropper.tsx'));
  useEffect(() => () => void (source && URL.revokeObjectURL(source.url)), [source]);

  const setPicture = (picture: string | null) =>
    form.setValue('imgURL', picture, { shouldDirty: true, shouldTouch: true, shouldValidate: true });

  async function choose(file: File | undefined) {
    if (!file) return;
    try {
      // The specification has this message for a wrong type (section 5).
      if (!file.type.startsWith('image/')) return setFileError(texts.empty);
      const next = await readPicture(file);
      setFileError(null);
      setSource(next);
      // The centre is a valid default crop, which the user can move.
      setPicture(cropToPortrait(next.image));
      if (!cropper.Part) cropper.open();
    } catch {
      setFileError('This file could not be opened. Choose a JPEG, PNG or WebP image.');
    } finally {
      // Without this, choosing the same file again would not fire a change event.
      if (input.current) input.current.value = '';
    }
  }

  // The user can choose a file before hydration.
  const chooseEarlyFile = useEffectEvent(() => void choose(input.current?.files?.[0]));
  useEffect(() => chooseEarlyFile(), []);

  function remove() {
    setSource(null);
    setFileError(null);
    setPicture(null);
  }

  const message = fileError ?? error;
  return (
    <div className="grid gap-3">
      {aside?.('Profile picture')}
      <p id={`${id}-hint`} className="text-ink-soft">
        Choose a photo in which people can recognise you. It is cropped on your device to save your data.
      </p>
      {value && (
        <div className="grid gap-4">
          {source && cropper.Part ? (
            <cropper.Part url={source.url} onCrop={(area) => setPicture(cropToPortrait(source.image, area))} />
          ) : (
            <img
              src={value}
              alt="Your portrait"
              className="aspect-[4/5] w-full max-w-72 rounded-card object-cover max-lg:max-w-[min(18rem,29dvh)]"
            />
          )}
        </div>
      )}
      <div className="flex flex-wrap gap-3">
        <label
          htmlFor={id}
          className={
            value
              ? 'inline-flex min-h-11 cursor-pointer items-center gap-2 rounded-control border border-line-strong bg-raised px-4 py-2 font-semibold focus-inside hover:bg-wash'
              : 'grid min-h-56 w-full cursor-pointer place-content-center justify-items-center gap-2 rounded-card border-2 border-dashed border-line-strong bg-raised p-6 font-semibold focus-inside hover:border-brand hover:bg-wash'
          }
        >
          <Icon name="image-plus" className={value ? 'size-5' : 'size-9 text-brand'} />
          {value ? (
            <span>
              Choose another<span className="sr-only"> profile picture</span>
            </span>
          ) : (
            'Profile picture'
          )}
          {!value && <span className="text-sm font-normal text-ink-soft">Choose a picture or take one now</span>}
          <input
            ref={input}
            id={id}
            type="file"
            accept="image/*"
            className="sr-only"
            aria-invalid={Boolean(message)}
            aria-describedby={`${id}-hint ${id}-error`}
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        </label>
        {value && (
          <Button variant="quiet" onClick={remove}>
            <Icon name="trash" className="size-5" />
            Remove image
          </Button>
        )}
      </div>
      <div id={`${id}-error`}>{message && <FieldError>{message}</FieldError>}</div>
    </div>
  );
}
