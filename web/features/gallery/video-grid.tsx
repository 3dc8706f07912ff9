import { PhotoTitle } from './photo-grid.tsx';
import { measurePreview } from './photo-wall.ts';
import { sampleVideos } from './samples.ts';

const size = { width: 640, height: 360 };

/** The videos have no sound. Each has 60 KB and is downloaded only after a click on play. */
export function VideoGrid() {
  return (
    <section aria-labelledby="videos" className="@container mt-4">
      <h2 id="videos" className="mb-3 text-lg font-bold">
        Videos
      </h2>
      <ul className="photo-wall">
        {sampleVideos.map(({ file, title }) => (
          <li key={file} className={measurePreview(size).rows}>
            <figure>
              <video
                controls
                muted
                playsInline
                preload="none"
                poster={`/gallery/${file}.webp`}
                src={`/gallery/${file}.webm`}
                {...size}
                aria-label={title}
                className="w-full bg-ink print-shape"
              />
              <figcaption className="flex pt-1.5">
                <PhotoTitle>{title}</PhotoTitle>
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </section>
  );
}
