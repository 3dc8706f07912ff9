import { Link, useLoaderData } from 'react-router';
import { minShownPeople } from '#contract/career-values.ts';
import { termsVersion } from '#contract/terms.ts';
import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';
import { Day } from '#web/ui/day.tsx';
import type { privacyLoader } from './privacy-facts.ts';
import { TextPage } from './text-page.tsx';

export function PrivacyPage() {
  const { institution } = useRootData();
  const facts = useLoaderData<typeof privacyLoader>();
  return (
    <TextPage heading="Privacy policy">
      <p>
        {institution.name} runs this archive on its own server. No data is passed to other companies: there is no
        advertising, no tracking, and no scripts or fonts from other sites. This version of the policy has applied since{' '}
        <Day of={termsVersion} />.
      </p>
      {(facts.controller ?? facts.contact) !== undefined && <h2>Who is responsible</h2>}
      {facts.controller !== undefined && (
        <p>{[facts.controller, facts.controllerAddress].filter(Boolean).join(', ')}</p>
      )}
      {facts.contact !== undefined && <p>Data protection contact: {facts.contact}</p>}
      {facts.legalBasis !== undefined && (
        <>
          <h2>Legal basis</h2>
          <ul className="grid gap-1">
            {facts.legalBasis.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {facts.tracerReport && (
        <>
          <h2>What graduates do now</h2>
          <p>
            We ask members what they do now, and whether their work is in the field that they studied, so that{' '}
            {institution.name} can report what became of its graduates. Answering is voluntary. Answers are only
            counted: no one else sees yours, and numbers below {minShownPeople} are left out. You can change or delete
            your answer at any time, and deleting your account deletes it.
          </p>
        </>
      )}
      <h2>Who sees what</h2>
      <p>Unless you choose otherwise, everyone, even without an account, can see:</p>
      <ul className="grid gap-1">
        <li>your name and picture, {reword('department')}, program, years, interest and short bio.</li>
      </ul>
      <p>
        Members have verified an email address and completed a profile
        {facts.confirmsMembers && `, and ${institution.name} has confirmed that they studied there`}. Unless you choose
        otherwise, they can also see:
      </p>
      <ul className="grid gap-1">
        <li>your contact number, home address, email address, birthday, matric number;</li>
        <li>your title, gender, {reword('college')}, full bio, and your names on other sites;</li>
        <li>
          your work, your city and country, and what you are willing to help with, the last only while you accept
          messages.
        </li>
      </ul>
      <p>
        Photos that you add to the gallery are visible to members, unless you make them visible to everyone. Ask the
        people in a photo first. Anyone who does not want to be in a photo can write to the alumni office, which removes
        it.
      </p>
      <p>
        Guests see how many people live in a place only if at least {minShownPeople} people there show it to everyone.
        Work and place that the alumni office has imported are visible only to you until you confirm them.
      </p>
      <p>
        The server checks these choices for every field before it sends anything. You can view{' '}
        <Link className="link" to={paths.myProfile}>
          your profile
        </Link>{' '}
        as members and guests see it.
      </p>
      <h2>What we keep, and why</h2>
      <ul className="grid gap-1">
        <li>
          Your email address, to sign you in, to write to you about your account, and to forward messages from members
          to you.
        </li>
        <li>A hash of your password (argon2id). No one can read your password from it, not even us.</li>
        <li>Which terms you have accepted, and when.</li>
        <li>
          Your profile with your work and place, as you wrote it. Before we store a picture, we remove its data about
          place, camera and time.
        </li>
        <li>
          Where you are signed in: the name of the browser and the times, so that you can end sessions that are not
          yours. A session ends {facts.sessionDays} days after you last used it. We also keep the day on which you last
          used your account.
        </li>
        <li>Accounts whose address was not verified, for seven days.</li>
        <li>Your previous email address, for 30 days after a change, so that you can undo the change.</li>
        <li>Your photos in the gallery, until you remove them.</li>
        <li>
          The people you have written to here and when, for 30 days. The text of a message, only until its email is
          sent, at most two weeks. The people you have blocked.
        </li>
        <li>Your notifications, for one year.</li>
        <li>Which announcements we sent you by email.</li>
        <li>Your email address, for at most 14 days, if the alumni office invites you to its staff.</li>
        <li>
          Your reports to the alumni office, until 180 days after they are closed. If you report something without an
          account, also your email address; a report that you do not confirm, for one day.
        </li>
        <li>
          If someone reports you: that report, with your name and email address, until 180 days after it is closed, even
          if you delete your account. We need it to act on abuse.
        </li>
        <li>
          Digests of IP addresses, email addresses and account numbers, made with a secret key of this site, for at most{' '}
          {facts.rateLimitHours + 1} hours, to limit the number of attempts.
        </li>
        <li>
          Backups, for {facts.backupDays} days. Data that you delete stays in them until then. If a backup is restored,
          accounts that were deleted after it was made are deleted again.
        </li>
      </ul>
      {facts.confirmsMembers && <RosterNotice institution={institution.name} isShared={facts.allowsInvitations} />}
      {facts.allowsInvitations && (
        <p>
          The alumni office can invite people on the registrar’s list of students and graduates by email, at most three
          times. Links in these emails end them. We keep when they were sent and opened, and of the address only a
          digest. If someone has no working address there, their name, matric number and phone number can be given to
          the representative of their class.
        </p>
      )}
      {facts.hideUnusedAfterMonths !== null && (
        <p>
          If you do not use your account for {facts.hideUnusedAfterMonths} months, no one else sees your profile until
          you sign in again. We send you two emails before that.
        </p>
      )}
      <p>
        The alumni office, and the representative of your class, can send you announcements by email. A link in each of
        them turns them off, and so do your settings.
      </p>
      <p>Staff get a daily email with how many cases wait for them. It names no one.</p>
      {institution.tokenSync !== undefined && (
        <>
          <h2>Another site of the university</h2>
          <p>
            When you sign in here, your browser sends your account number, your name and your email address to{' '}
            <span className="wrap-anywhere">{institution.tokenSync}</span>. When you sign out, it notifies that site
            too.
          </p>
        </>
      )}
      {facts.campusProvider !== undefined && (
        <>
          <h2>{`Your ${institution.abbreviation} account`}</h2>
          <p>
            You can sign in with your university account. Then your browser goes to{' '}
            <span className="wrap-anywhere">{facts.campusProvider}</span>, which learns that you sign in here. It tells
            us an identifier, your email address, your name, and whether you are a student or graduate. A cookie keeps
            this encrypted for ten minutes. If you connect the account, we keep the identifier, the address, and when
            you connected and last used it, until you disconnect it. If it confirms you as a member, we also keep
            whether you are a student or graduate, and a digest of the identifier. We never see its password.
          </p>
        </>
      )}
      <h2>Cookies</h2>
      <p>
        We use four cookies: one keeps you signed in, one recognises this device, and two remember how you want pages to
        look: the width of the sidebar, and the light or dark theme. What you have started to fill in stays in this tab
        of your browser until you send it or sign out. The answers of an unfinished profile, with its picture, stay in
        this browser for up to seven days, also when it is closed, until you finish or sign out.
      </p>
      <h2>Your rights</h2>
      <p>
        You can view and change all your data under{' '}
        <Link className="link" to={paths.settings}>
          Settings
        </Link>
        , download all of it as one file, and immediately delete your account with everything that belongs to it. After
        that, the log of the server still says that an account was deleted and when, but not whose. For as long as the
        archive runs, we also keep digests of your account number and your email address, made with a secret key of this
        site, so that a restored backup or an import does not bring your account back. For anything else, write to the
        alumni office of {institution.name}.
      </p>
      <p>
        {facts.supervisoryAuthority === undefined
          ? 'You can complain to the data protection authority of your country.'
          : `You can complain to the supervisory authority: ${facts.supervisoryAuthority}`}
      </p>
      <p>
        If your email address was changed within the last 30 days and you delete your account, it is hidden immediately
        and deleted when the 30 days are over. Until then, a link that we send to your old address can restore it,
        because someone else may have changed the address and asked for the deletion. We send an email to both
        addresses.
      </p>
    </TextPage>
  );
}

/** Appears only in an archive that confirms its members. People on the roster may have no account. */
const RosterNotice = ({ institution, isShared }: { institution: string; isShared: boolean }) => (
  <>
    <h2>The list of students and graduates</h2>
    <p>
      Before someone becomes a member, we confirm that they studied here. For that we use a list of students and
      graduates from the registrar of {institution}. It has names, gender, date of birth, matric number,{' '}
      {reword('department')}, program, years, contact details, and whether someone has died. It does not have grades,
      religion or parents’ names.
    </p>
    <p>
      Only the staff who confirm members can read the list, and you can read your own entry once you are confirmed. No
      page, list or search shows it to anyone else{isShared && ', except for the calls that are described below'}.
    </p>
    <p>
      To confirm you, we also keep what you wrote for it, how you were confirmed, and who vouched for whom. We delete
      all of this with your account. If the alumni office asks you for a document, one person there can open it once. It
      is deleted then, with the decision, or after 30 days, and is in no backup. Digests of the matric number and date
      of birth that you entered and of your email address, made with a secret key of this site, are kept for at most 91
      days, to limit the number of attempts. When someone is confirmed as you, we write once to the email address on the
      list, so that you can tell us if it was not you.
    </p>
    <h2>Are you on our list?</h2>
    <p>
      This site does not say who is on the list. Write to the alumni office of {institution}, which checks who you are.
      It then shows you your entry, and you can have it corrected or object to it. If you object, we delete the entry
      except for a digest of the matric number, so that the next list of the registrar does not bring it back. If you
      delete your account, we note that you have left, and do not invite you again.
    </p>
  </>
);
