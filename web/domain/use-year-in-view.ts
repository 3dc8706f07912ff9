import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

/** Returns the class at the top of the wall, while its people are in the order of their classes. */
export function useYearInView(): number | undefined {
  const [year, setYear] = useState<number>();
  const { key } = useLocation();
  useEffect(() => {
    const update = () => {
      // Asking one point needs no layout of the card pages far from the viewport.
      const hit = document.elementFromPoint(innerWidth / 2, 96)?.closest('.wall section');
      const first = document.querySelector('.wall section');
      const section = hit ?? (first && first.getBoundingClientRect().top > 0 ? first : null);
      if (section || !first) setYear(Number(section?.querySelector('h2')?.textContent) || undefined);
    };
    update();
    addEventListener('scroll', update, { passive: true });
    return () => removeEventListener('scroll', update);
  }, [key]);
  return year;
}
