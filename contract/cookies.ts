/** Names of all cookies that the server or a page reads. The server removes requests' other cookies. */
export const cookieNames = ['sid', 'device', 'pending', 'passkey', 'campus', 'sidebar', 'theme'] as const;

export type CookieName = (typeof cookieNames)[number];
