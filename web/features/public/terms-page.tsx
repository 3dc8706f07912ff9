import { termsVersion } from '#contract/terms.ts';
import { useRootData } from '../../domain/root-data.ts';
import { Day } from '../../ui/day.tsx';
import { TextPage } from './text-page.tsx';

export function TermsPage() {
  const { institution } = useRootData();
  return (
    <TextPage heading="Terms and conditions">
      <p>
        These terms are between you and {institution.name}, which runs this archive. They are short on purpose. As they
        stand here they count since <Day of={termsVersion} />.
      </p>
      <h2>Who may join</h2>
      <p>
        Students and graduates of {institution.name}. Your profile is about yourself, under your own name, and what it
        says is true.
      </p>
      <h2>What you may do with what you see</h2>
      <ul className="grid gap-2">
        <li>Find people, and write to them or call them as one member to another.</li>
        <li>
          Not: collect profiles, by hand or by program; pass details on; advertise; or pose as somebody else with them.
        </li>
      </ul>
      <h2>Your words and pictures</h2>
      <p>
        They stay yours. By putting them here you let us show them to those whom you choose, and you can take them away
        at any time.
      </p>
      <h2>When somebody breaks these terms</h2>
      <p>We may hide or delete a profile, and end an account. Tell the alumni office when you see something wrong.</p>
      <h2>What we promise</h2>
      <p>
        To look after the archive with care. It comes as it is: there can be mistakes in it, and times when it is away.
      </p>
      <h2>When these terms change</h2>
      <p>
        The day above changes with them, and members are asked in their settings whether they accept the new ones.
        Whoever does not can download all their data there, under Privacy, and delete the account.
      </p>
    </TextPage>
  );
}
