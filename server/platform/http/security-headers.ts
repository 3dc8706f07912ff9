type SecurityHeaders = Readonly<Record<string, string>>;

/**
 * Permissions-Policy header: browser features that the pages never use. Passkeys and full-screen photos stay allowed.
 */
const permissions =
  'accelerometer autoplay browsing-topics camera display-capture geolocation gyroscope hid magnetometer microphone midi payment serial usb xr-spatial-tracking'
    .split(' ')
    .map((name) => `${name}=()`)
    .join(', ');

const hstsMaxAgeSeconds = 31_536_000;

/**
 * Returns the security headers of every response. They are the same for all responses, except that pages replace the
 * Content Security Policy.
 * @param isEncrypted whether the URL of the site is an HTTPS URL
 */
export const createSecurityHeaders = (isEncrypted: boolean): SecurityHeaders => ({
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': permissions,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  // Turns off a filter of old browsers that caused vulnerabilities.
  'x-xss-protection': '0',
  ...(isEncrypted && { 'strict-transport-security': `max-age=${hstsMaxAgeSeconds}` }),
});
