export { confirmLoader, joinLoader, requireConfirmedMode, vouchLoader } from './loaders.ts';
export { ConfirmPage } from './confirm-page.tsx';
export { JoinPage } from './join-page.tsx';
export { VouchPage } from './vouch-page.tsx';
export { NotYouPage } from './not-you-page.tsx';
