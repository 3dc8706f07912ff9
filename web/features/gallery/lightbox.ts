import PhotoSwipe from 'photoswipe';
import { paths } from '#web/domain/paths.ts';
import { loadStyles } from '#web/platform/styles.ts';
import type { IconName } from '#web/ui/icon-names.ts';
import sprite from '#web/ui/icons.svg?url&no-inline';
import { allowMarkup } from '#web/platform/trusted-types.ts';
import styles from './lightbox.css?url&no-inline';
import type { Picture } from './picture.ts';

await loadStyles(styles);

/** Matches the SVG icons of the lightbox's buttons: shapes only, no scripts or event handlers. */
const svgMarkup = /^(?:<\/?(?:svg|use|path|circle|ellipse)(?:\s(?!on)[\w:-]+="[^"<>]*")*\s*\/?>|\s)*$/iu;

// The library sets innerHTML for its icons.
allowMarkup((html) => svgMarkup.test(html));

const drawIcon = (...names: IconName[]) =>
  `<svg class="pswp__icn" aria-hidden="true">${names.map((name) => `<use class="${name}" href="${sprite}#${name}"/>`).join('')}</svg>`;

/**
 * Opens a full-screen viewer for pictures. Users move by swiping, with the arrow keys or with buttons; Escape closes
 * it.
 * @param onClosed called with the picture that was shown last
 * @param onReport called with the picture that the user wants to report, before the viewer closes
 * @returns a function that closes the viewer
 */
export function openLightbox(
  pictures: readonly Picture[],
  index: number,
  onClosed: (last: Picture | undefined) => void,
  onReport: (picture: Picture) => void,
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
    // During the opening animation, the viewer ignores keys and its close button.
    showHideAnimationType: 'none',
    // Leaves space for the caption, which must not cover the picture.
    paddingFn: () => ({ top: 60, bottom: 132, left: 0, right: 0 }),
    bgOpacity: 1,
    closeSVG: drawIcon('x'),
    zoomSVG: drawIcon('zoom-in', 'zoom-out'),
    arrowPrevSVG: drawIcon('chevron-left'),
    arrowNextSVG: drawIcon('chevron-right'),
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
        // Screen readers announce the caption of the new picture.
        element.setAttribute('role', 'status');
        lightbox.on('change', () => {
          const picture = pictures[lightbox.currIndex];
          const about = document.createElement('span');
          const facts = picture?.about ?? [];
          for (const [index, text] of facts.entries()) {
            const fact = document.createElement('bdi');
            fact.textContent = index < facts.length - 1 ? `${text} ·` : text;
            about.append(fact, ' ');
          }
          const by = document.createElement('span');
          if (picture?.by) {
            const link = document.createElement('a');
            link.href = paths.user(picture.by.id);
            link.textContent = picture.by.name;
            by.append(link);
          }
          element.replaceChildren(
            picture?.title ?? '',
            about,
            by,
            ...(picture?.reportId ? [createReportLink(picture)] : []),
          );
        });
      },
    });
  });
  function createReportLink(picture: Picture): HTMLElement {
    const link = document.createElement('a');
    link.href = paths.report('photo', picture.reportId ?? '');
    link.textContent = 'Report a problem';
    link.className = 'pswp__report';
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onReport(picture);
      lightbox.close();
    });
    return link;
  }
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
