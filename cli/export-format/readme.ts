export const createReadme = (institution: string, madeAt: string): string => `\
Export of the alumni archive of ${institution}, created at ${madeAt}.

Text files use UTF-8. A .jsonl file has one JSON value per line. People are identified by their email address.

accounts.jsonl   Accounts: email address, whether it is verified, creation time, accepted terms.
                 passwordHash is Argon2id in the PHC format, which many programs can verify. It is null for accounts without a
                 password, and for passwords imported from Firebase and not used since: these people reset it by email.
                 hiddenUntilSignIn: the profile is hidden from everyone else until its owner signs in.
                 membershipStatus: unconfirmed, confirmed, disputed or rejected. evidence: how the account was confirmed, such as
                 printed-code or staff-review. confirmBy: until then, an unconfirmed account counts as confirmed. These have a
                 meaning only in an archive that confirms its members. An import ignores them: each archive confirms its own members.
profiles.jsonl   Complete profiles. "profile" has the stored shape; its imgURL is the path of a file in this folder.
                 visibility says who may see a field (everyone, members, me); fields that are not listed have the default.
                 isHidden: the profile is hidden from everyone else, by its owner or by staff.
                 career: work, place and help offers. confirmedOn is null, and isPlaceConfirmed false, for imported values that
                 only the owner sees. tracer: the answer to "What do you do now?", which is only counted.
people.csv       The same data for a spreadsheet, one person per row, with the current or else the last position. Texts that start like a formula have a leading apostrophe.
unfinished.jsonl Incomplete imported profiles, which only their owners can see and complete.
photos.jsonl     The gallery, without the photos that staff or a report hide.
blocks.jsonl     Who has blocked whom.
pictures/        Pictures in WebP format.

Not included:
- reports, and suspensions: an import shows the profile of a suspended person again;
- messages between members: the archive does not store them;
- second factors (authenticator apps, passkeys, recovery codes): they only work with this site's address and keys. Their
  owners set them up again in the new archive, and sign in with the password only until then;
- the roster of the institution, which the institution has; claims, vouches and disputes, which concern entries of that roster;
- sessions, emailed codes, notifications and rate limits: they have no meaning in another archive.

This export contains personal data that people hide from others, and password hashes that can be attacked by guessing.
Protect it like a backup, and delete it after use.

To import it into another archive: npm run archive -- import DIR, or people.csv alone: npm run archive -- import FILE.csv
`;
