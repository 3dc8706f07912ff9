import { describe, expect, test } from 'vitest';
import { findAddressFault } from './recipient-refusals.ts';

const failure = (command: string, response: string) =>
  Object.assign(new Error('refused'), { command, response, responseCode: Number(response.slice(0, 3)) });
const faultAt = (command: string, response: string) => findAddressFault(failure(command, response));

describe('findAddressFault', () => {
  test.each([
    // Replies of common mail servers and providers.
    '550 5.1.1 <x@y.example>: Recipient address rejected: User unknown in virtual mailbox table',
    '550-5.1.1 The email account that you tried to reach does not exist. Please try\n550 5.1.1 double-checking the address',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient x@y.example not found by SMTP address lookup',
    '550 5.4.1 Recipient address rejected: Access denied. [AS(201806281)]',
    '556 5.1.10 Recipient address has null MX',
    '550 5.1.2 Bad destination system address',
    '550 5.4.4 Host or domain name not found',
    '553 5.1.3 The recipient address is not a valid RFC 5321 address',
    '550 No such user here',
    '550 Requested action not taken: mailbox unavailable',
    '551 User not local',
    '550 Unrouteable address',
  ])('returns no-mailbox for "%s"', (response) => {
    expect(faultAt('RCPT TO', response)).toBe('no-mailbox');
  });

  test.each([
    '550 5.2.1 The email account that you tried to reach is disabled',
    '550-5.2.1 The email account that you tried to reach is inactive.\n550 5.2.1 For more information, go away',
  ])('returns closed for "%s"', (response) => {
    expect(faultAt('RCPT TO', response)).toBe('closed');
  });

  test.each([
    // Replies about the sender, the mail, or temporary conditions.
    ['MAIL FROM', '550 5.1.1 Sender unknown'],
    ['MAIL FROM', '553 5.1.8 Domain of sender does not exist'],
    ['RCPT TO', '550 5.1.0 <a@b.example>: Sender address rejected: User unknown in relay recipient table'],
    ['RCPT TO', '550 5.1.1 <a@b.example>: Sender address rejected: undeliverable address'],
    ['RCPT TO', '554 5.7.1 Service unavailable; Client host [1.2.3.4] blocked using zen.spamhaus.org'],
    ['RCPT TO', '550 5.7.1 Unauthenticated email is not accepted due to domain policy'],
    ['RCPT TO', '550 5.7.26 This mail has been blocked because the sender is unauthenticated'],
    ['RCPT TO', '554 5.7.1 <x@y.example>: Relay access denied'],
    ['RCPT TO', '550 relay not permitted'],
    ['RCPT TO', '550 Administrative prohibition - envelope blocked'],
    ['RCPT TO', '553 sorry, that domain is not in my list of allowed rcpthosts, relaying denied'],
    ['RCPT TO', '550 5.4.1 No answer from host'],
    ['RCPT TO', '554 5.4.6 Too many hops'],
    ['RCPT TO', '552 5.2.2 The email account that you tried to reach is over quota'],
    ['RCPT TO', '552 Mailbox full'],
    ['RCPT TO', '550 Mailbox quota exceeded'],
    ['RCPT TO', '550-5.2.1 The user you are trying to contact is receiving mail at a rate that is too high'],
    ['RCPT TO', '554 Transaction failed'],
    ['RCPT TO', '503 5.5.1 MAIL first'],
    ['RCPT TO', '550 5.5.0 Something'],
    ['RCPT TO', '450 4.1.1 User unknown, perhaps'],
    ['RCPT TO', '452 4.2.2 Mailbox full'],
    ['DATA', '552 5.3.4 Message too large'],
    ['DATA', '550 No such user here'],
    ['DATA', '554 5.6.0 Content rejected'],
    ['AUTH PLAIN', '535 5.7.8 Bad credentials'],
    ['AUTH PLAIN', '550 5.1.1 Unknown user'],
    ['CONN', '554 5.7.1 Go away'],
  ])('returns null for %s and "%s"', (command, response) => {
    expect(faultAt(command, response)).toBe(null);
  });

  test('returns closed for an invalid recipient address, and null for an invalid sender address', () => {
    const own = (message: string) =>
      findAddressFault(Object.assign(new Error(message), { command: 'API', code: 'EENVELOPE' }));
    expect(own('Invalid recipient "x"')).toBe('closed');
    expect(own('No recipients defined')).toBe('closed');
    expect(own('Invalid sender "x"')).toBe(null);
  });

  test('returns null for a broken connection', () => {
    expect(findAddressFault(Object.assign(new Error('closed'), { command: 'CONN', code: 'ECONNECTION' }))).toBe(null);
    expect(
      findAddressFault(Object.assign(new Error('closed'), { command: 'RCPT TO', responseCode: false as const })),
    ).toBe(null);
  });
});
