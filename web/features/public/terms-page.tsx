import { termsVersion } from '#contract/terms.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Day } from '#web/ui/day.tsx';
import { TextPage } from './text-page.tsx';

export function TermsPage() {
  const { institution } = useRootData();
  return (
    <TextPage heading="Terms and conditions">
      <p>
        These terms are between you and {institution.name}, which runs this archive. They are short on purpose. This
        version has applied since <Day of={termsVersion} />.
      </p>
      <h2>Who may join</h2>
      <p>
        Students and graduates of {institution.name} may join. Your profile must be about yourself, use your own name,
        and be true.
      </p>
      <h2>What you may do with what you see</h2>
      <ul className="grid gap-2">
        <li>You may find people, and write to them or call them as one member to another.</li>
        <li>
          You may not collect profiles, manually or with a program, pass details on, advertise, or use details to
          pretend to be someone else.
        </li>
      </ul>
      <h2>Your words and pictures</h2>
      <p>
        They stay yours. By adding them here, you allow us to show them to the people you choose. You can remove them at
        any time.
      </p>
      <h2>If someone breaks these terms</h2>
      <p>We may hide or delete a profile, and close an account. Tell the alumni office if you see something wrong.</p>
      <h2>What we promise</h2>
      <p>
        We look after the archive with care. We provide it as it is: it may contain mistakes, and it may be unavailable
        at times.
      </p>
      <h2>When these terms change</h2>
      <p>
        When these terms change, the date above changes too, and members are asked in their settings whether they accept
        the new terms. Members who do not can download all their data there, under Privacy, and delete their account.
      </p>
    </TextPage>
  );
}
