const columns = 4;
const firstYear = 1990;

/** Positions in the drawing, which is 720 wide and 900 high. The font has no tabular figures, so each figure has its place. */
const figureLefts = [70, 102, 134, 166];
const columnWidth = 160;
const [firstBaseline, lastBaseline] = [116, 796];

const listYears = () =>
  Array.from({ length: new Date().getUTCFullYear() - firstYear + 1 }, (_, index) => firstYear + index);

/** Decorative: class years like on a wall, the last one light. An SVG, so that it fills any large screen. */
export function YearWall() {
  const years = listYears();
  const rows = Math.ceil(years.length / columns);
  return (
    <svg
      viewBox="0 0 720 900"
      preserveAspectRatio="xMidYMid slice"
      className="sticky top-0 h-dvh w-full year mask-[linear-gradient(#0000,#000_30%)]"
    >
      {years.map((year, index) => {
        // The last row is complete.
        const place = index + columns * rows - years.length;
        return (
          <text
            key={year}
            x={figureLefts.map((x) => x + (place % columns) * columnWidth).join(' ')}
            textAnchor="middle"
            y={firstBaseline + (Math.floor(place / columns) * (lastBaseline - firstBaseline)) / (rows - 1)}
            fontSize="56"
            className={index === years.length - 1 ? 'fill-white' : 'fill-deep-bright'}
          >
            {year}
          </text>
        );
      })}
    </svg>
  );
}
