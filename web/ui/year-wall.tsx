const columns = 4;
const firstYear = 1990;
const marked = 2015;

const listYears = () =>
  Array.from({ length: new Date().getUTCFullYear() - firstYear + 1 }, (_, index) => firstYear + index);

/** Decorative: class years like on a wall, one of them with the gold rule. An SVG, so that it fills any large screen. */
export function YearWall() {
  const years = listYears();
  const rowHeight = 736 / (Math.ceil(years.length / columns) - 1);
  const positionOf = (year: number) => {
    const place = year - firstYear;
    return { x: 54 + (place % columns) * 160, y: 116 + Math.floor(place / columns) * rowHeight };
  };
  const { x, y } = positionOf(marked);
  return (
    <svg viewBox="0 0 720 900" preserveAspectRatio="xMidYMid slice" className="sticky top-0 h-dvh w-full year">
      {years.map((year) => (
        <text
          key={year}
          {...positionOf(year)}
          fontSize="56"
          className={year === marked ? 'fill-white' : 'fill-deep-bright'}
        >
          {year}
        </text>
      ))}
      <rect x={x} y={y + 14} width="126" height="6" fill="#f1c96b" />
    </svg>
  );
}
