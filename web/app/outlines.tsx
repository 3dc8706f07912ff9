import { Fragment, type ReactNode } from 'react';
import { paths } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';

/*
 * Outlines of pages that are loading: the places of what comes, in the sizes that it will have. Only browsers render
 * them, so sizes are set as styles, which need no bytes in the styles of every page.
 */

interface ShapeProps {
  h: number | string;
  w?: number | string;
  after?: number;
}

const Shape = ({ h, w = '100%', after = 0 }: ShapeProps) => (
  <div className="rounded-control bg-wash" style={{ height: h, width: w, maxWidth: '100%', marginBottom: after }} />
);

interface ShapesProps extends ShapeProps {
  count: number;
}

const Shapes = ({ count, ...shape }: ShapesProps) =>
  Array.from({ length: count }, (_, at) => <Shape key={at} {...shape} />);

const Lines = ({ h }: { h: number | string }) => (
  <div
    style={{ height: h, backgroundImage: 'repeating-linear-gradient(var(--color-wash) 0 14px, transparent 0 24px)' }}
  />
);

const isWide = () => matchMedia('(width >= 64rem)').matches;

const isExtraWide = () => matchMedia('(width >= 96rem)').matches;

function Cards() {
  const user = useUser();
  return (
    <div className="cards">
      {Array.from({ length: 24 }, (_, at) => (
        <div key={at} className="mb-5">
          <div className="aspect-[4/5] bg-wash print-shape" />
          <div className={`w-4/5 pt-3 ${isMember(user) ? 'h-30' : 'h-24'}`}>
            <Lines h="100%" />
          </div>
        </div>
      ))}
    </div>
  );
}

function DashboardOutline() {
  const user = useUser();
  return (
    <>
      <div className="h-14 max-w-xl rounded-control bg-wash max-sm:-mt-2 sm:h-10" />
      <div className="my-1.5 h-11 rounded-control bg-wash lg:my-3" />
      {isMember(user) ? (
        <>
          <div className="mb-2 h-11 rounded-control bg-wash sm:hidden" />
          <Shape h={58} w="12rem" after={8} />
        </>
      ) : (
        <div style={{ height: isWide() ? 12 : 10 }} />
      )}
      <Cards />
    </>
  );
}

const ClassOutline = () => (
  <>
    <div style={{ height: isWide() ? 277 : 310 }}>
      <Shape h={96} w="16rem" after={24} />
      <Shape h={44} w="20rem" />
    </div>
    <Cards />
  </>
);

function ProfileOutline() {
  const [gap, top, portrait] = isWide() ? [32, 32, 176] : [16, 24, 112];
  return (
    <div style={{ margin: `-${isWide() ? 24 : 20}px -${gap}px 0` }}>
      <div className="bg-wash" style={{ height: 96, margin: '0 -50vw' }} />
      <div className="flex" style={{ gap, margin: `${top - 96}px ${gap}px 24px` }}>
        <div
          className="shrink-0 bg-wash print-shape"
          style={{ width: portrait, height: portrait * 1.25, border: '3px solid var(--color-surface)' }}
        />
        <div className="min-w-0 grow" style={{ paddingTop: 108 - top }}>
          <Shape h={28} w="20rem" after={10} />
          <Shape h={16} w="10rem" />
        </div>
      </div>
      <div
        className="grid gap-4"
        style={{
          margin: `0 ${gap}px`,
          ...(isWide() && { gridTemplateColumns: `1fr ${isExtraWide() ? '49rem' : 'clamp(18rem,35%,23rem)'}` }),
        }}
      >
        {Array.from({ length: 6 }, (_, at) => (
          <div key={at}>
            <Shape h={20} w={96} after={16} />
            <Lines h={86} />
          </div>
        ))}
      </div>
    </div>
  );
}

const GalleryOutline = () => (
  <>
    <Shape h={44} w={160} after={16} />
    <Shape h={24} w={80} after={16} />
    <Shape h={isWide() ? 144 : 108} w={isWide() ? 192 : 144} after={84} />
    <Shape h={24} w={80} after={16} />
    <Shape h={44} w={112} after={24} />
    <div className="grid" style={{ gap: isWide() ? 20 : 12, gridTemplateColumns: `repeat(${isWide() ? 3 : 2}, 1fr)` }}>
      <Shapes count={9} h={isWide() ? 260 : 150} />
    </div>
  </>
);

function SettingsOutline() {
  const isExtra = isExtraWide();
  const columns = {
    display: 'grid',
    gridTemplateColumns: `220px ${isExtra ? '16rem ' : ''}minmax(0, 37rem)`,
    columnGap: 48,
  };
  const [first, second, third] = isWide() ? ([32, 44, 11] as const) : ([28, 26, 15] as const);
  const head = (
    <>
      <Shape h={first} w={240} after={isWide() ? 20 : 69} />
      <Shape h={second} w={isWide() ? '100%' : 120} after={20} />
      <Shape h={44} w={200} after={third} />
    </>
  );
  return (
    <div style={isWide() ? columns : {}}>
      <div>
        {isWide() && <Shape h={24} w={80} after={12} />}
        {isWide() ? <Shapes count={7} h={40} after={8} /> : <Shape h={innerWidth < 640 ? 176 : 88} after={33} />}
      </div>
      {isExtra && <div>{head}</div>}
      <div style={isExtra ? { paddingTop: 116 } : {}}>
        {!isExtra && head}
        {Array.from({ length: 6 }, (_, at) => (
          <Fragment key={at}>
            <Shape h={20} w={120} after={12} />
            <Shape h={44} w={400} after={24} />
          </Fragment>
        ))}
      </div>
    </div>
  );
}

const ListOutline = () => (
  <div>
    <Shape h={32} w={160} after={44} />
    <Shapes count={12} h={60} after={4} />
  </div>
);

const ColumnOutline = () => (
  <div style={isWide() ? { width: 'min(48rem, 100% - 23rem)' } : {}}>
    <ListOutline />
  </div>
);

const PlainOutline = () => (
  <>
    <Shape h={44} w={240} after={16} />
    <Shapes count={13} h={56} after={16} />
  </>
);

const outlinesByStart = { '/class/': ClassOutline, '/user/': ProfileOutline };

const outlines: Partial<Record<string, () => ReactNode>> = {
  [paths.dashboard]: DashboardOutline,
  [paths.myProfile]: ProfileOutline,
  [paths.gallery]: GalleryOutline,
  [paths.settings]: SettingsOutline,
  [paths.search]: ListOutline,
  [paths.messages]: ColumnOutline,
  [paths.notification]: ColumnOutline,
};

export function Outline({ path }: { path: string }) {
  const [, byStart] = Object.entries(outlinesByStart).find(([start]) => path.startsWith(start)) ?? [];
  const Shown = outlines[path] ?? byStart ?? PlainOutline;
  return <Shown />;
}
