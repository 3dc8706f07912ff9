import { photoCardClass, photoGridClass } from './photo-grid.tsx';
import { sampleVideos } from './samples.ts';

/** Shows the sample videos, which have no sound. Each has 60 KB and is downloaded only after a click on play. */
export function VideoGrid() {
  return (
    <section aria-labelledby="videos" className="mt-4">
      <h2 id="videos" className="mb-3 text-lg font-bold">
        Videos
      </h2>
      <ul className={photoGridClass}>
        {sampleVideos.map(({ file, title }) => (
          <li key={file}>
            <figure className={photoCardClass}>
              <video
                controls
                muted
                playsInline
                preload="none"
                poster={`/gallery/${file}.webp`}
                src={`/gallery/${file}.webm`}
                width="640"
                height="360"
                aria-label={title}
                className="w-full bg-ink"
              />
              <figcaption className="px-4 py-3 font-medium">{title}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </section>
  );
}
