/** Shows a decorative picture of a campus in the institution's colours: a hall, palm trees and mortarboards. */
export function CampusScene({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 720 900" preserveAspectRatio="xMidYMax slice" className={className} aria-hidden="true">
      <rect width="720" height="900" className="fill-deep" />
      <circle cx="520" cy="330" r="150" className="fill-deep-bright" opacity="0.55" />
      <circle cx="520" cy="330" r="104" className="fill-gold" />
      <path
        d="M0 560C90 470 150 430 220 452c60 18 92-66 168-62 84 4 96 96 168 92 60-4 110-40 164-20v438H0z"
        className="fill-deep-bright"
        opacity="0.55"
      />
      <path
        d="M0 640c70-66 150-84 232-52 66 26 120-34 196-14 90 24 170-30 292 22v304H0z"
        className="fill-deep-strong"
        opacity="0.75"
      />
      <g>
        <path d="M170 560 360 474l190 86z" fill="#fff" />
        <rect x="184" y="560" width="352" height="22" fill="#fff" opacity="0.9" />
        <g fill="#fff" opacity="0.94">
          {[200, 260, 320, 380, 440, 500].map((x) => (
            <rect key={x} x={x} y="590" width="22" height="132" rx="3" />
          ))}
        </g>
        <rect x="184" y="590" width="352" height="132" className="fill-on-deep" opacity="0.28" />
        <path d="M338 722v-66a22 22 0 0 1 44 0v66z" className="fill-deep-strong" />
        <rect x="164" y="722" width="392" height="16" fill="#fff" />
        <rect x="144" y="738" width="432" height="16" fill="#fff" opacity="0.88" />
        <circle cx="360" cy="530" r="13" className="fill-gold" />
      </g>
      <path d="M0 752h720v148H0z" className="fill-deep-strong" />
      <path d="M286 900c14-70 34-112 52-146h44c18 34 38 76 52 146z" className="fill-deep-bright" opacity="0.6" />
      {[
        [86, 1],
        [632, 0.86],
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
        [150, 210, -18, 1],
        [292, 128, 12, 1.25],
        [418, 214, -8, 0.8],
      ].map(([x, y, turn, scale]) => (
        <g key={x} transform={`translate(${x} ${y}) rotate(${turn}) scale(${scale})`}>
          <path d="M0-22-58 4 0 30 58 4z" fill="#fff" />
          <path d="M-34 22v24c0 9 15 16 34 16s34-7 34-16V22L0 38z" className="fill-on-deep" />
          <path d="M50 8v34" className="stroke-gold" strokeWidth="4" strokeLinecap="round" />
          <circle cx="50" cy="46" r="6" className="fill-gold" />
        </g>
      ))}
    </svg>
  );
}
