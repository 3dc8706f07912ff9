export function UnreadCount({ unread, className }: { unread: number; className: string }) {
  if (unread === 0) return null;
  return (
    <span
      className={`absolute min-w-5 rounded-full bg-danger px-1 text-center text-xs font-semibold text-on-fill ${className}`}
    >
      {unread > 99 ? '99+' : unread}
      <span className="sr-only"> new</span>
    </span>
  );
}
