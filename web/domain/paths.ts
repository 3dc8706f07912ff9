export const paths = {
  dashboard: '/',
  home: '/home',
  login: '/login',
  signUp: '/signup',
  sendVerification: '/send-verification-email',
  verifyEmail: '/verify-email-address',
  resetPassword: '/reset-password',
  newPassword: '/new-password',
  recoverEmail: '/recover-email',
  onboarding: '/onboarding',
  search: '/search',
  gallery: '/gallery',
  careers: '/careers',
  settings: '/settings',
  account: '/account',
  myProfile: '/myprofile',
  notification: '/notification',
  messages: '/messages',
  confirm: '/confirm',
  campus: '/campus',
  staff: '/staff',
  terms: '/terms-and-conditions',
  privacy: '/privacy-policy',
  report: (kind: 'user' | 'photo', id: string) => `/report/${kind}/${id}`,
  user: (id: string) => `/user/${id}`,
  classOf: (department: string, year: number) => `/class/${encodeURIComponent(department)}/${year}`,
  /** A page of the server, which redirects to the university: not for the router. */
  campusStart: (from: string | null) =>
    from === null || from.startsWith('/campus') ? '/auth/campus' : withParam('/auth/campus', 'from', from),
} as const;

export function withParam(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [name]: value })}`;
}
