import { useState } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import { PhotoTitle, sampleGrid } from './photo-grid.tsx';
import { sampleVideos } from './samples.ts';

const size = { width: 640, height: 360 };

/** The videos have no sound. Each has 60 KB and is downloaded only after a click on play. */
export const VideoGrid = () => (
  <section aria-labelledby="videos" className="mt-10">
    <h2 id="videos" className="mb-4 border-b border-line pb-2 text-lg font-bold lg:text-xl">
      Videos
    </h2>
    <ul className={sampleGrid}>
      {sampleVideos.map(({ file, title }) => (
        <li key={file}>
          <figure>
            <Video file={file} title={title} />
            <figcaption className="flex pt-1.5">
              <PhotoTitle>{title}</PhotoTitle>
            </figcaption>
          </figure>
        </li>
      ))}
    </ul>
  </section>
);

/** A poster that links to the file. With JavaScript, the video plays in its place, with the controls of the browser. */
function Video({ file, title }: (typeof sampleVideos)[number]) {
  const [isPlaying, setIsPlaying] = useState(false);
  const src = `/gallery/${file}.webm`;
  const poster = `/gallery/${file}.webp`;
  if (isPlaying)
    return (
      <video
        // The poster had the focus.
        ref={(video) => video?.focus()}
        controls
        autoPlay
        muted
        playsInline
        poster={poster}
        src={src}
        {...size}
        aria-label={title}
        className="w-full bg-ink print-shape"
      />
    );
  return (
    <a
      href={src}
      aria-label={`Play ${title}`}
      className="group relative block overflow-hidden print-shape"
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        setIsPlaying(true);
      }}
    >
      <img src={poster} alt="" loading="lazy" {...size} className="w-full bg-line" />
      <span className="absolute inset-0 grid place-items-center">
        <span className="grid size-12 place-items-center sm:size-16 rounded-full bg-deep text-on-deep floating group-hover:bg-deep-strong">
          <Icon name="play" className="ml-0.5 size-5 fill-current sm:size-7" />
        </span>
      </span>
    </a>
  );
}
