import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { type PhotoAudience, photoAudiences, photoFields } from '#contract/gallery.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { RestoredDraft } from '#web/domain/restored-draft.tsx';
import { LeaveDialog, LeaveGuard } from '#web/domain/leave-guard.tsx';
import { messageOf } from '#web/domain/messages.ts';
import { readPicture, shrinkPhoto } from '#web/domain/pictures.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DateField } from '#web/ui/date-field.tsx';
import { FieldError, SelectField, TextField } from '#web/ui/field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useSchemaForm } from '#web/ui/use-schema-form.ts';

const maxPhotos = 20;

interface ChosenPhoto {
  readonly field: `title${number}`;
  readonly file: string;
  readonly image: string;
}

type Fields = Record<'album' | 'place' | 'takenOn' | ChosenPhoto['field'], string> & { audience: PhotoAudience };

/** Photos are too large for session storage. */
type DraftDetails = Pick<Fields, 'album' | 'place' | 'takenOn' | 'audience'> & { titles: string[] };

interface Props {
  albums: readonly string[];
  album: string;
  onClose: () => void;
  onAdded: () => void;
}

const optional = <Schema extends z.ZodMiniType>(schema: Schema) => z.union([z.literal(''), schema]);

/** Each photo is resized here and uploaded separately, so uploaded photos stay if a later one fails. */
export default function AddPhotos({ albums, album, onClose, onAdded }: Props) {
  const [photos, setPhotos] = useState<readonly ChosenPhoto[]>([]);
  const [fileErrors, setFileErrors] = useState<readonly string[]>([]);
  const [sending, setSending] = useState<{ text: string; abort: AbortController } | null>(null);
  const [isReading, setReading] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const id = useId();
  const fieldCount = useRef(0);
  const focusLater = useFocusLater();

  const schema = z.object({
    album: photoFields.album,
    place: optional(photoFields.place),
    takenOn: optional(photoFields.takenOn),
    audience: photoFields.audience,
    ...Object.fromEntries(photos.map(({ field }) => [field, photoFields.title])),
  }) as unknown as z.ZodMiniType<Fields, Fields>;
  const { form, field } = useSchemaForm(schema, {
    stored: { album, place: '', takenOn: '', audience: photoAudiences[0] },
  });
  /** Titles from a restored draft, assigned to the photos in the order in which they are chosen again. */
  const draftTitles = useRef<string[]>([]);
  const draft = useDraft<DraftDetails>('photos', ({ titles, ...details }) => {
    form.reset(details);
    draftTitles.current = titles;
  });
  const saveDraft = useEffectEvent(() => {
    const values = form.getValues();
    const titles = [...photos.map((photo) => values[photo.field] ?? ''), ...draftTitles.current];
    draft.save({
      album: values.album,
      place: values.place,
      takenOn: values.takenOn,
      audience: values.audience,
      titles,
    });
  });
  const { watch } = form;
  useEffect(() => watch(() => saveDraft()).unsubscribe, [watch]);

  function discard() {
    draftTitles.current = [];
    form.reset({ album, place: '', takenOn: '', audience: photoAudiences[0] });
    draft.discard();
  }

  const optionalProps = { 'aria-required': undefined };

  async function choose(files: readonly File[]) {
    setReading(true);
    const errors: string[] = [];
    const newPhotos: ChosenPhoto[] = [];
    for (const file of files) {
      if (photos.length + newPhotos.length >= maxPhotos) {
        errors.push(`You can add up to ${maxPhotos} photos at a time. “${file.name}” was not added.`);
        continue;
      }
      try {
        const { url, image } = await readPicture(file);
        newPhotos.push({ field: `title${fieldCount.current++}`, file: file.name, image: shrinkPhoto(image) });
        URL.revokeObjectURL(url);
      } catch {
        errors.push(`“${file.name}” could not be opened. Choose a JPEG, PNG or WebP image.`);
      }
    }
    for (const { field: title } of newPhotos) {
      const draftTitle = draftTitles.current.shift();
      if (draftTitle) form.setValue(title, draftTitle);
    }
    setPhotos((now) => [...now, ...newPhotos]);
    setFileErrors(errors);
    setReading(false);
  }

  const add = form.handleSubmit(async ({ album: title, place, takenOn, audience, ...titles }) => {
    if (photos.length === 0) {
      setFileErrors(['Choose at least one photo.']);
      return;
    }
    setFileErrors([]);
    const abortController = new AbortController();
    let added = 0;
    try {
      for (const photo of photos) {
        if (abortController.signal.aborted) return;
        setSending({ text: `Adding photo ${added + 1} of ${photos.length}...`, abort: abortController });
        await callApi('POST /api/gallery/photos', {
          body: {
            album: title,
            title: titles[photo.field] ?? '',
            ...(place !== '' && { place }),
            ...(takenOn !== '' && { takenOn }),
            audience,
            image: photo.image,
          },
        });
        added++;
        setPhotos((left) => left.filter((one) => one !== photo));
        form.unregister(photo.field);
      }
      toast('success', added === 1 ? 'Photo added' : `${added} photos added`);
      draft.discard();
      if (!abortController.signal.aborted) onClose();
    } catch (error) {
      const problem = problemOf(error);
      const message = problem.detail ?? messageOf(problem);
      toast('error', message);
      setFileErrors([message]);
    } finally {
      setSending(null);
      if (added > 0) onAdded();
    }
  });

  function removePhoto(photo: ChosenPhoto) {
    setPhotos((now) => now.filter((one) => one !== photo));
    form.unregister(photo.field);
    focusLater(`[id="${id}"]`);
  }

  /** Completes the upload in progress; the remaining photos are not sent. */
  function cancel() {
    sending?.abort.abort();
    draft.discard();
    onClose();
  }

  const isEdited = photos.length > 0 || form.formState.isDirty;
  /** Asks for confirmation if there are unsaved edits. */
  function mayClose() {
    setAsking(isEdited);
    return !isEdited;
  }

  return (
    <Dialog onClose={cancel} mayClose={mayClose} title="Add photos" shape="sheet">
      {isAsking && <LeaveDialog onStay={() => setAsking(false)} onLeave={cancel} />}
      <form className="flex flex-col gap-4" method="post" noValidate onSubmit={add}>
        <LeaveGuard isEdited={isEdited} onLeave={draft.discard} />
        {draft.isRestored && (
          <RestoredDraft onDiscard={discard}>Your photos could not be restored. Choose them again.</RestoredDraft>
        )}
        <label
          htmlFor={id}
          className="grid min-h-28 cursor-pointer place-content-center justify-items-center gap-2 rounded-card border-2 border-dashed border-line-strong bg-raised p-4 text-center font-semibold focus-inside hover:border-brand hover:bg-wash"
        >
          <Icon name="image-plus" className="size-9 text-brand" />
          {photos.length === 0 ? 'Choose photos' : 'Choose more photos'}
          <span className="text-sm font-normal text-balance text-ink-soft">
            Photos are resized on your device before upload.
          </span>
          <input
            id={id}
            type="file"
            accept="image/*"
            multiple
            // Photos chosen during an upload would not be sent.
            disabled={sending !== null || isReading}
            className="sr-only"
            aria-describedby={`${id}-faults`}
            onChange={(event) => {
              void choose([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
        </label>
        <div id={`${id}-faults`} role="alert" className="grid gap-1">
          {fileErrors.map((fault) => (
            <FieldError key={fault}>{fault}</FieldError>
          ))}
        </div>
        {photos.length > 0 && (
          <ul className="grid gap-5">
            {photos.map((photo, index) => (
              <li key={photo.field} className="grid grid-cols-[4.5rem_minmax(0,1fr)_2.75rem] gap-x-3">
                <img src={photo.image} alt={photo.file} className="size-18 object-cover object-[50%_20%] print-shape" />
                <TextField
                  label={photos.length === 1 ? 'Title' : `Title of photo ${index + 1}`}
                  {...field(photo.field)}
                />
                <button
                  type="button"
                  aria-label={`Remove photo ${index + 1}`}
                  className="mt-7 grid size-11 place-items-center rounded-control hover:bg-wash"
                  onClick={() => removePhoto(photo)}
                >
                  <Icon name="trash" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <TextField
          label="Album"
          list={`${id}-albums`}
          autoComplete="off"
          hint="Choose an album or name a new one."
          {...field('album')}
        />
        <datalist id={`${id}-albums`}>
          {albums.map((title) => (
            <option key={title} value={title} />
          ))}
        </datalist>
        <TextField label="Place (optional)" {...field('place')} {...optionalProps} />
        <DateField label="Date (optional)" hint="For example 27 4 2015" {...field('takenOn')} aria-required={false} />
        <SelectField
          label="Visible to"
          hint="Consider the other people in the photo."
          className="w-44"
          {...field('audience')}
        >
          <option value="members">Members</option>
          <option value="everyone">Everyone</option>
        </SelectField>
        <div className="sticky bottom-0 -mx-6 mt-auto -mb-6 flex flex-wrap justify-end gap-3 border-t border-line bg-raised px-6 py-3">
          <Button variant="quiet" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" busy={sending?.text ?? (isReading && 'Preparing photos...')}>
            {photos.length > 1 ? `Add ${photos.length} photos` : 'Add photo'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
