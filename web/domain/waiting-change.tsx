export const WaitingChange = ({ values }: { values: readonly string[] }) => (
  <p className="max-w-[66ch] rounded-control bg-wash p-3 wrap-anywhere">
    <strong>Waiting for the alumni office:</strong> {values.join(' · ')}. Until they accept it, everyone sees the
    confirmed values.
  </p>
);
