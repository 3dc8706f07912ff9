import type { Card } from '#contract/directory.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { noneValue } from '#contract/none.ts';
import type { FormField } from '#contract/profile.ts';
import { GridCard } from '#web/domain/person-card.tsx';
import { useRootData } from '#web/domain/root-data.ts';

interface Props {
  id: string;
  values: { readonly [Field in FormField]?: unknown };
}

export function CardPreview({ id, values }: Props) {
  const { institution } = useRootData();
  const text = (field: FormField) => String((values[field] as string | number | null | undefined) ?? '').trim();
  const [department, matricNumber] = [text('department'), text('matricNumber')];
  const names = [text('firstName'), text('middleName'), text('lastName')];
  const year = Number(text('yearGraduated'));
  const card: Card = {
    id,
    thumb: text('imgURL') || null,
    name: names.filter((name) => name !== '' && name !== noneValue).join(' ') || 'Your name',
    ...(department && { department }),
    schoolLabel: institution.abbreviation,
    ...(year >= 1000 && { yearGraduated: year }),
    ...(matricNumber && { matricNumber: [...matricNumber].slice(0, fieldLengths.matricNumberShown).join('') }),
    label: 'Alum',
  };
  return (
    <div className="sticky top-16 hidden w-52 self-start lg:block 2xl:w-70" aria-hidden="true">
      <p className="mb-3 text-sm text-ink-soft">Your card, as members see it</p>
      <div inert className="cards grid-cols-1">
        <GridCard card={card} isFirst />
      </div>
    </div>
  );
}
