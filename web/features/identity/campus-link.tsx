import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { ButtonLink } from '#web/ui/button.tsx';

/** A link and not a form, because browsers apply the Content Security Policy of forms to the redirect. */
export function CampusLink({ from }: { from: string | null }) {
  const { abbreviation, hasCampusSignOn } = useRootData().institution;
  return (
    hasCampusSignOn && (
      <ButtonLink variant="quiet" reloadDocument to={paths.campusStart(from)}>
        {`Use your ${abbreviation} account instead`}
      </ButtonLink>
    )
  );
}
