import { useLoaderData } from 'react-router';
import { termsVersion } from '#contract/terms.ts';
import { Link } from '../../platform/link.tsx';
import { paths } from '../../domain/paths.ts';
import { useRootData } from '../../domain/root-data.ts';
import { Day } from '../../ui/day.tsx';
import type { privacyLoader } from './privacy-facts.ts';
import { TextPage } from './text-page.tsx';

export function PrivacyPage() {
  const { institution } = useRootData();
  const facts = useLoaderData<typeof privacyLoader>();
  return (
    <TextPage heading="Privacy policy">
      <p>
        {institution.name} runs this archive on its own server. Nothing in it is passed to other companies: no
        advertising, no tracking, no scripts or fonts from elsewhere. As this policy stands here it counts since{' '}
        <Day of={termsVersion} />.
      </p>
      <h2>Who is responsible</h2>
      <p>
        {facts.controller}, {facts.controllerAddress}
      </p>
      <p>Data protection contact: {facts.contact}</p>
      <h2>Legal basis</h2>
      <ul className="grid gap-1">
        {facts.legalBasis.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <h2>Who sees what</h2>
      <p>Everybody, also without an account, sees of you, unless you choose otherwise:</p>
      <ul className="grid gap-1">
        <li>your name and picture, department, program, years, interest and short bio.</li>
      </ul>
      <p>Members, who have verified an address and completed a profile, see besides, unless you choose otherwise:</p>
      <ul className="grid gap-1">
        <li>your contact number, home address, email address, birthday, matric number;</li>
        <li>your title, gender, college, full bio, and your names on other sites.</li>
      </ul>
      <p>
        Photos that you add to the gallery are for members, unless you say that everybody may see them. Ask the people
        in a photo first; whoever does not want to be in one writes to the alumni office, which takes it down.
      </p>
      <p>
        The server decides this for every single field before anything is sent. Look at{' '}
        <Link className="link" to={paths.myProfile}>
          your profile
        </Link>{' '}
        through the eyes of members and guests.
      </p>
      <h2>What we keep, and why</h2>
      <ul className="grid gap-1">
        <li>
          Your email address, to sign you in, to write to you about your account, and to pass on what members write to
          you.
        </li>
        <li>A digest of your password (argon2id). Nobody can read your password from it, we neither.</li>
        <li>Which terms you have accepted, and when.</li>
        <li>Your profile, as you wrote it. Pictures lose place, camera and time before they are stored.</li>
        <li>
          Where you are signed in: the name of the browser and the times, so that you can end what is not yours. A
          session ends {facts.sessionDays} days after you last used it. We also keep the day on which you last used your
          account.
        </li>
        <li>An account whose address was not verified, for seven days.</li>
        <li>Your previous email address, for 30 days after a change, so that you can undo the change.</li>
        <li>Your photos of the gallery, until you remove them.</li>
        <li>
          To whom you have written here and when, for 30 days. What you wrote only until its mail is out, two weeks at
          most. And whom you have blocked.
        </li>
        <li>What you have been told under Notifications, for a year.</li>
        <li>Reports of messages that you have sent to the alumni office, until 180 days after they are closed.</li>
        <li>
          If someone reports you: that report, with your name and email address, until 180 days after it is closed, even
          if you delete your account. We need it to act on abuse.
        </li>
        <li>
          Digests of IP addresses, email addresses and account numbers, made with a secret key of this site, for at most{' '}
          {facts.rateLimitHours + 1} hours, to limit the number of attempts.
        </li>
        <li>
          Backups, for {facts.backupDays} days. Data that you delete stay in them until then. If a backup is restored,
          accounts that were deleted after it was made are deleted again.
        </li>
      </ul>
      {facts.hideUnusedAfterMonths !== null && (
        <p>
          If you do not use your account for {facts.hideUnusedAfterMonths} months, nobody else sees your profile until
          you sign in again. We send you two emails before that.
        </p>
      )}
      {institution.tokenSync !== undefined && (
        <>
          <h2>Another site of the university</h2>
          <p>
            When you sign in here, your browser tells <span className="wrap-anywhere">{institution.tokenSync}</span> who
            you are: the number of your account, your name and your email address. When you sign out it tells that too.
          </p>
        </>
      )}
      <h2>Cookies</h2>
      <p>
        One that keeps you signed in, one that knows this device again, and one that remembers how wide the sidebar is.
        No others. What you have begun to fill in stays in this tab of your browser until you send it or sign out.
      </p>
      <h2>Your rights</h2>
      <p>
        You can read and change everything about you under{' '}
        <Link className="link" to={paths.settings}>
          Settings
        </Link>
        , download all of it as one file, and delete your account with all that belongs to it, at once. What is left
        then is a line in the log of the server which says that an account was deleted, and when, and not whose. For as
        long as the archive runs, we also keep digests of your account number and your email address, made with a secret
        key of this site, so that a restored backup or an import does not bring your account back. For anything else
        write to the alumni office of {institution.name}.
      </p>
      <p>You can complain to the supervisory authority: {facts.supervisoryAuthority}</p>
      <p>
        If your email address was changed within the last 30 days and you delete your account, it is hidden at once and
        deleted when the 30 days are over. Until then, a link that we send to your old address can restore it, because
        someone else may have changed the address and asked for the deletion. We send an email to both addresses.
      </p>
    </TextPage>
  );
}
