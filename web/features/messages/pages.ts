export { messagesLoader } from './messages-data.ts';
export { MessagesPage } from './messages-page.tsx';
