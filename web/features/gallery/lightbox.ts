import PhotoSwipe from 'photoswipe';
import { loadStyles } from '../../platform/styles.ts';
import styles from './lightbox.css?url&no-inline';
import type { Picture } from './picture.ts';

await loadStyles(styles);

/** The drawings on the lightbox's buttons, which it writes as text: shapes, and nothing that could do something. */
const svgMarkup = /^(?:<\/?(?:svg|use|path|circle|ellipse)(?:\s(?!on)[\w:-]+="[^"<>]*")*\s*\/?>|\s)*$/iu;

// The policy of our pages lets no text become markup; this is the one exception, for browsers that know of it.
(window as { trustedTypes?: { createPolicy(name: string, rules: object): unknown } }).trustedTypes?.createPolicy(
  'default',
  {
    createHTML: (html: string) => (svgMarkup.test(html) ? html : null),
  },
);

/**
 * Shows pictures large, one after another: by swiping, by the arrow keys, by its buttons; Escape closes it.
 * @param onClosed is told with the picture that was seen last, however it was closed
 * @returns how to close it
 */
export function openLightbox(
  pictures: readonly Picture[],
  index: number,
  onClosed: (last: Picture | undefined) => void,
): () => void {
  const lightbox = new PhotoSwipe({
    dataSource: pictures.map(({ src, width, height, title, thumb }) => ({
      src,
      width,
      height,
      alt: title,
      msrc: thumb,
    })),
    index,
    loop: false,
    // While it moves it hears no keys, and its close button does nothing.
    showHideAnimationType: 'none',
    // What is said below the picture must not lie on it.
    paddingFn: () => ({ top: 60, bottom: 84, left: 0, right: 0 }),
    bgOpacity: 0.94,
    closeTitle: 'Close',
    zoomTitle: 'Zoom',
    arrowPrevTitle: 'Previous',
    arrowNextTitle: 'Next',
    errorMsg: 'This photo failed to load. Check your connection and try again.',
  });
  lightbox.on('uiRegister', () => {
    lightbox.ui?.registerElement({
      name: 'caption',
      order: 9,
      isButton: false,
      appendTo: 'root',
      onInit: (element) => {
        // Whoever does not see the picture hears which one it is.
        element.setAttribute('role', 'status');
        lightbox.on('change', () => {
          const picture = pictures[lightbox.currIndex];
          const about = document.createElement('span');
          about.textContent = [...(picture?.about ?? []), ...(picture?.by ? [picture.by.name] : [])].join(' · ');
          element.replaceChildren(picture?.title ?? '', about);
        });
      },
    });
  });
  lightbox.on('firstUpdate', () => {
    lightbox.element?.setAttribute('aria-label', 'Photos');
    lightbox.element?.setAttribute('aria-modal', 'true');
  });
  lightbox.on('destroy', () => {
    onClosed(pictures[lightbox.currIndex]);
  });
  lightbox.init();
  return () => lightbox.destroy();
}
