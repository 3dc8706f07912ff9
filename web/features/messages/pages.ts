/** The pages of this feature, in one chunk. */
export { messagesLoader } from './messages-data.ts';
export { MessagesPage } from './messages-page.tsx';
