/**
 * Shows a decorative picture of a campus in the institution's colours: a hall, palm trees and mortarboards. Its parts are in the right
 * half, so that a wide screen has space for text and a narrow one still shows them.
 */
export function CampusScene({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 1440 900" preserveAspectRatio="xMaxYMax slice" className={className} aria-hidden="true">
      <circle cx="1250" cy="420" r="150" className="fill-deep-bright" opacity="0.55" />
      <circle cx="1250" cy="420" r="104" className="fill-gold" />
      {['fill-deep', 'fill-deep-bright opacity-55'].map((fill) => (
        // Twice, so that the sun does not shine through.
        <path
          key={fill}
          d="M0 610c150-30 260-6 372-44 130-44 230 34 348-6 90-90 150-130 220-108 60 18 92-66 168-62 84 4 96 96 168 92 60-4 110-40 164-20v438H0z"
          className={fill}
        />
      ))}
      <path
        d="M0 690c160-60 250 20 400-20 130-34 210-60 320-30 70-66 150-84 232-52 66 26 120-34 196-14 90 24 170-30 292 22v304H0z"
        className="fill-deep-strong"
        opacity="0.75"
      />
      <g>
        <path d="M890 560l190-86 190 86z" fill="#fff" />
        <path d="M904 560h352v22H904z" fill="#fff" opacity="0.9" />
        <path
          d="M920 590h22v132h-22zm60 0h22v132h-22zm60 0h22v132h-22zm60 0h22v132h-22zm60 0h22v132h-22zm60 0h22v132h-22z"
          fill="#fff"
          opacity="0.94"
        />
        <path d="M904 590h352v132H904z" className="fill-on-deep" opacity="0.28" />
        <path d="M1058 722v-66a22 22 0 0 1 44 0v66z" className="fill-deep-strong" />
        <path d="M884 722h392v16H884zm-20 16h432v16H864z" fill="#fff" opacity="0.92" />
        <circle cx="1080" cy="530" r="13" className="fill-gold" />
      </g>
      <path d="M0 752h1440v148H0z" className="fill-deep-strong" />
      <path
        d="M0 752h1440v148H0zM1006 900c14-70 34-112 52-146h44c18 34 38 76 52 146z"
        className="fill-deep-bright"
        opacity="0.3"
      />
      {[
        [836, 0.8],
        [1352, 0.86],
      ].map(([x = 0, scale]) => (
        <g key={x} transform={`translate(${x} 764) scale(${scale})`}>
          <path d="M-7 0c4-60 4-110 12-168l9 1C8-110 8-56 9 0z" className="fill-on-deep" opacity="0.85" />
          <g className="fill-success" opacity="0.92">
            <path d="M10-168c-40-34-84-26-104 10 36-16 66-16 104-10z" />
            <path d="M10-168c-22-48-64-58-96-38 40 2 66 14 96 38z" />
            <path d="M10-168c40-34 84-26 104 10-36-16-66-16-104-10z" />
            <path d="M10-168c22-48 64-58 96-38-40 2-66 14-96 38z" />
            <path d="M10-168c-10-40 2-70 22-86 4 32-2 60-22 86z" />
          </g>
        </g>
      ))}
      {[
        [906, 296, -18, 0.9],
        [1012, 356, 12, 0.7],
        [1112, 290, -8, 0.8],
      ].map(([x, y, turn, scale]) => (
        <g key={x} className="max-lg:hidden" transform={`translate(${x} ${y}) rotate(${turn}) scale(${scale})`}>
          <path d="M0-22-58 4 0 30 58 4z" fill="#fff" />
          <path d="M-34 22v24c0 9 15 16 34 16s34-7 34-16V22L0 38z" className="fill-on-deep" />
          <path d="M50 8v34" className="stroke-gold" strokeWidth="4" strokeLinecap="round" />
          <circle cx="50" cy="46" r="6" className="fill-gold" />
        </g>
      ))}
    </svg>
  );
}
