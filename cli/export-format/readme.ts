/** What README.txt of an export says. @param madeAt ISO 8601 */
export const readme = (institution: string, madeAt: string): string => `\
The alumni archive of ${institution}, as it was at ${madeAt}.

Text files are UTF-8. A .jsonl file has one JSON value on each line. People are known by their e-mail address.

accounts.jsonl   Who can sign in: address, whether it was verified, when the account was made, which terms were accepted.
                 passwordHash is argon2id in the PHC format, which many programs can check; null where there is
                 none, or one that was brought over from Firebase and has not been used here yet: they choose a new one by mail.
                 hiddenUntilSignIn: nobody else sees their profile until they sign in.
profiles.jsonl   The profiles, in full: under "profile" the stored shape, its imgURL names a file in this folder. visibility
                 says who may see a field (everyone, members, me); a field that is not named has its usual audience.
                 isHidden: seen by nobody else.
people.csv       The same for a spreadsheet, a person on each row. A text that begins like a formula has an apostrophe before it.
unfinished.jsonl What was brought over from elsewhere and its owner has still to complete: seen by nobody but them.
photos.jsonl     The gallery.
blocks.jsonl     Who does not want to hear from whom.
pictures/        The pictures, as WebP.

Not in it, because it means nothing elsewhere or is nobody's to take along:
- messages between members: the archive does not keep them;
- second factors (authenticator apps, passkeys, recovery codes): they belong to this site's address and keys. Whoever has
  one sets it up anew, and until then signs in with the password alone;
- sessions, mailed codes, notifications, limits.

It holds what people have hidden from everybody, and what passwords can be guessed from. Keep it as you would keep a backup,
and delete it when it has served.

Into an archive of the same product: npm run archive -- import DIR
`;
